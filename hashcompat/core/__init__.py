"""What Kubernetes is and does, release by release: values in, values out, only the release data is read."""
