# The image of hashcompat with the extra "fleet" and a library for S3: what a CronJob sends snapshots with, and an Indexed Job plans.
#
#   docker build -f deploy/image/fleet.Dockerfile -t registry.example/hashcompat-fleet:1.0.0 .
#
# It is the image of the Dockerfile next to it and some more packages, so it has no shell and no root either. For another store,
# such as gcsfs or adlfs, add that to deploy/locks/fleet.txt. /tmp has to be writable.
ARG BUILD=python:3.11-slim-bookworm
ARG IMAGE=registry.example/hashcompat:1.0.0

FROM ${BUILD} AS build
# The package index, where it is not PyPI: --build-arg PIP_INDEX_URL=https://pypi.example/simple
ARG PIP_INDEX_URL
COPY deploy/locks /locks
RUN ["python3", "-I", "-m", "pip", "install", "--no-cache-dir", "--require-hashes", "--only-binary=:all:", "--target", "/fleet", "-r", "/locks/run.txt", "-r", "/locks/fleet.txt"]

FROM ${IMAGE}
COPY --from=build /fleet /fleet
# Behind /app, which has the program and its own packages.
ENV PYTHONPATH=/app:/fleet
