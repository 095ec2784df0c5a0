"""The templates of jobs, pipelines and training."""

from __future__ import annotations

import base64
import hashlib
from random import Random
from typing import Any

from scripts.bench.made.chance import Json
from scripts.bench.made.platform.applications import app_container, app_volumes, pool_spec, spread
from scripts.bench.made.platform.given import (
    DAY,
    DOMAIN,
    NOW,
    REGISTRY,
    Workload,
    chance_for,
    compact_json,
    digest,
    digits,
    label,
    letters,
    stamp,
    uid,
)
from scripts.bench.made.platform.owned import Pod
from scripts.bench.made.platform.parts import (
    claim_volume,
    config_volume,
    container,
    container_port,
    cpu_text,
    empty_volume,
    field,
    host_volume,
    image_of,
    mount,
    resources,
    secret,
    secret_volume,
    templated,
    variable,
)
from scripts.bench.made.platform.words import NOUNS, PREFIXES, TEAMS, VERBS, rand_args, rand_env


def bucket_path(g: Random, w: Workload) -> str:
    """Return a path in a bucket."""
    return f"s3://nimbusgrid-{g.choice(['lake', 'raw', 'curated'])}/{g.choice(NOUNS)}/dt=2026-{g.randint(9, 11):02d}-{g.randint(1, 19):02d}/hr={g.randrange(24):02d}/part-{g.randrange(4000):05d}-{digits(g, 12)}.parquet"


def job_args(g: Random, w: Workload, n: int) -> list[str]:
    """Return arguments of a job."""
    out: list[Any] = [
        "--input=" + bucket_path(g, w),
        "--output=" + bucket_path(g, w),
        "--run-id=" + digits(g, 16),
        f"--seed={g.getrandbits(31)}",
    ]
    if g.random() < 0.5:
        out.append(
            "--filter="
            + g.choice(
                ["ts >= '2026-%02d-%02d' && region = 'r%d'", "day < '2026-%02d-%02d' and tenant <> %d"]
            )
            % (g.randint(9, 11), g.randint(1, 19), g.randrange(99))
        )
    return out + rand_args(g, n)


def job_env(g: Random, w: Workload) -> list[Json]:
    """Return variables of a job."""
    return [
        variable("RUN_ID", digits(g, 16)),
        variable("SHARD_INDEX", str(g.randrange(512))),
        variable("CHECKPOINT", bucket_path(g, w)),
        variable("TRACEPARENT", f"00-{digits(g, 32)}-{digits(g, 16)}-01"),
        variable("WINDOW_START", stamp(NOW - g.randrange(30 * DAY))),
    ]


def spark_template(w: Workload, r: Random, p: Pod) -> Json:
    """Return a driver or an executor of Spark."""
    g, x = p.r, p.x
    app, drv = x["app"], x["role"] == "driver"
    img = image_of(r, "spark/" + w.name)
    lab: Json = {
        "spark-app-name": label(app),
        "spark-app-selector": x["sel"],
        "spark-role": x["role"],
        "spark-version": "3.5.3",
        "sparkoperator.k8s.io/app-name": app,
        "sparkoperator.k8s.io/launched-by-spark-operator": "true",
        "sparkoperator.k8s.io/submission-id": uid("sub", app),
        "version": "3.5.3",
        DOMAIN + "/owner": r.choice(TEAMS),
    }
    env: list[Any] = [
        variable("SPARK_USER", "spark"),
        variable("SPARK_APPLICATION_ID", x["sel"]),
        variable("SPARK_LOCAL_DIRS", "/var/data/spark-" + uid("ld", p.key)),
    ]
    vols: list[Any] = [
        empty_volume("spark-local-dir-1", sizeLimit="200Gi"),
        config_volume(
            "spark-conf-volume-" + ("driver" if drv else "exec"),
            f"spark-{'drv' if drv else 'exec'}-{digest(16, app)}-conf-map",
            items=[
                {"key": "spark.properties", "mode": 420, "path": "spark.properties"},
                {"key": "log4j2.properties", "mode": 420, "path": "log4j2.properties"},
            ],
        ),
        secret_volume("hadoop", w.name + "-hadoop"),
    ]
    ms: list[Any] = [
        mount("spark-local-dir-1", "/var/data/spark-" + uid("ld", p.key)),
        mount(vols[1]["name"], "/opt/spark/conf"),
        mount("hadoop", "/etc/hadoop/secrets", True),
    ]
    if drv:
        args = [
            "driver",
            "--properties-file",
            "/opt/spark/conf/spark.properties",
            "--class",
            f"io.nimbusgrid.{w.name.split('-')[0]}.{w.name.title().replace('-', '')}Job",
            f"local:///opt/app/{w.name}.jar",
            *job_args(g, w, 3),
        ]
        env += [
            field("SPARK_DRIVER_BIND_ADDRESS", "status.podIP"),
            variable("SPARK_CONF_DIR", "/opt/spark/conf"),
            *job_env(g, w),
            *rand_env(r, w, 6),
        ]
        ports_: list[Any] = [
            container_port(7078, "driver-rpc-port"),
            container_port(7079, "blockmanager"),
            container_port(4040, "spark-ui"),
        ]
    else:
        lab.update({"spark-exec-id": str(x["n"]), "spark-exec-resourceprofile-id": "0"})
        args = ["executor"]
        env += [
            variable("SPARK_DRIVER_URL", f"spark://CoarseGrainedScheduler@{app}-driver-svc.{p.ns}.svc:7078"),
            variable("SPARK_EXECUTOR_CORES", str(max(1, w.cpu // 1000))),
            variable("SPARK_EXECUTOR_MEMORY", f"{int(w.mem * 0.8)}m"),
            variable("SPARK_CONF_DIR", "/opt/spark/conf"),
            field("SPARK_EXECUTOR_POD_IP", "status.podIP"),
            field("SPARK_EXECUTOR_POD_NAME", "metadata.name"),
            variable("SPARK_RESOURCE_PROFILE_ID", "0"),
            variable("SPARK_EXECUTOR_ID", str(x["n"])),
        ]
        env += (
            [
                variable(f"SPARK_JAVA_OPT_{i}", o)
                for i, o in enumerate(
                    [
                        "-Dspark.driver.port=7078",
                        "-Dspark.app.id=" + x["sel"],
                        "-Dspark.authenticate=true",
                        f"-Dspark.network.timeout={r.choice([120, 600])}s",
                        "-XX:+UseG1GC",
                        "-Dspark.run.nonce=" + digits(g, 12),
                    ]
                )
            ]
            + job_env(g, w)[:3]
            + rand_env(r, w, 4)
        )
        ports_ = [container_port(7079, "blockmanager")]
    c = container(
        "spark-kubernetes-" + x["role"],
        img,
        args=args,
        env=env,
        ports=ports_,
        resources=resources(w.cpu, w.mem, None, w.mem),
        volumeMounts=ms,
    )
    spec: Json = {
        "containers": [c],
        "volumes": vols,
        "restartPolicy": "Never",
        "securityContext": {"fsGroup": 185, "runAsUser": 185, "supplementalGroups": [185]},
    }
    if not drv:
        spec["hostname"] = label(p.name)
    pool_spec(w, spec)
    return templated(lab, {"sparkoperator.k8s.io/run-hash": digits(g, 20)} if drv else {}, spec)


def argo_template(w: Workload, r: Random, p: Pod) -> Json:
    """Return a step of a workflow of Argo."""
    g, x = p.r, p.x
    ex = "quay.io/argoproj/argoexec:v3.5.11"
    wf: Any = x["wf"]
    params: list[Any] = [
        {"name": n, "value": g.choice([bucket_path(g, w), digits(g, 20), str(g.randrange(10**6))])}
        for n in r.sample(
            ["input", "output", "shard", "model", "dataset", "window", "commit", "table"], r.randint(2, 5)
        )
    ]
    uargs = job_args(g, w, r.randint(1, 5))
    img = image_of(r, "pipelines/" + w.name)
    cmd: Any = r.choice(
        [["python", "-m", "pipelines." + w.name.replace("-", "_")], ["/app/run.sh"], ["bash", "-c"]]
    )
    tmpl: Json = {
        "name": x["step"],
        "inputs": {"parameters": params},
        "outputs": {"artifacts": [{"name": "result", "path": "/tmp/out", "s3": {"key": f"{wf}/{p.name}"}}]},
        "metadata": {},
        "container": {
            "name": "",
            "image": img,
            "command": cmd,
            "args": uargs,
            "resources": {"requests": {"cpu": cpu_text(w.cpu)}},
        },
        "archiveLocation": {
            "archiveLogs": True,
            "s3": {"endpoint": "s3.amazonaws.com", "bucket": "nimbusgrid-argo", "key": f"{wf}/{p.name}"},
        },
    }
    base: list[Any] = [
        field("ARGO_POD_NAME", "metadata.name"),
        field("ARGO_POD_UID", "metadata.uid"),
        variable("GODEBUG", "x509ignoreCN=0"),
        variable("ARGO_WORKFLOW_NAME", wf),
        variable("ARGO_WORKFLOW_UID", uid("wf", wf)),
    ]
    tail: list[Any] = [
        variable("ARGO_CONTAINER_NAME", ""),
        variable("ARGO_TEMPLATE", compact_json(tmpl)),
        variable("ARGO_NODE_ID", f"{wf}-{g.getrandbits(32)}"),
        variable("ARGO_INCLUDE_SCRIPT_OUTPUT", "false"),
        variable("ARGO_DEADLINE", stamp(p.created + 86400)),
        variable("ARGO_PROGRESS_FILE", "/var/run/argo/progress"),
        variable("ARGO_PROGRESS_PATCH_TICK_DURATION", "1m0s"),
    ]

    def e(n: Any, extra: Any = ()) -> Any:
        t = [dict(d) for d in tail]
        t[0] = variable("ARGO_CONTAINER_NAME", n)
        return [dict(d) for d in base] + list(extra) + t

    sc: Json = {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
        "runAsNonRoot": True,
        "runAsUser": 8737,
    }
    spec: Json = {
        "initContainers": [
            container(
                "init",
                ex,
                command=["argoexec", "init", "--loglevel", "info", "--log-format", "json"],
                env=e("init"),
                resources=resources(10, 64),
                securityContext=sc,
                volumeMounts=[
                    mount("var-run-argo", "/var/run/argo"),
                    mount("tmp-dir-argo", "/argo", sub="0"),
                ],
            )
        ],
        "containers": [
            container(
                "wait",
                ex,
                command=["argoexec", "wait", "--loglevel", "info", "--log-format", "json"],
                env=e("wait"),
                resources=resources(10, 64),
                securityContext=sc,
                volumeMounts=[mount("tmp-dir-argo", "/tmp", sub="0"), mount("var-run-argo", "/var/run/argo")],
            ),
            container(
                "main",
                img,
                command=[
                    "/var/run/argo/argoexec",
                    "emissary",
                    "--loglevel",
                    "info",
                    "--log-format",
                    "json",
                    "--",
                    *cmd,
                ],
                args=uargs,
                env=job_env(g, w) + rand_env(r, w, r.randint(2, 10)) + e("main"),
                resources=resources(w.cpu, w.mem, None, w.mem),
                volumeMounts=[mount("var-run-argo", "/var/run/argo"), mount("work", "/work")],
            ),
        ],
        "volumes": [
            empty_volume("var-run-argo"),
            empty_volume("tmp-dir-argo"),
            empty_volume("work", sizeLimit="50Gi"),
        ],
        "restartPolicy": "Never",
    }
    if r.random() < 0.4:
        spec["activeDeadlineSeconds"] = r.choice([3600, 14400, 86400])
    pool_spec(w, spec)
    return templated(
        {
            "workflows.argoproj.io/completed": "true" if p.state in ("succ", "fail") else "false",
            "workflows.argoproj.io/workflow": label(wf),
            DOMAIN + "/pipeline": w.name,
        },
        {
            "kubectl.kubernetes.io/default-container": "main",
            "workflows.argoproj.io/node-id": f"{wf}-{g.getrandbits(32)}",
            "workflows.argoproj.io/node-name": f"{wf}({0}).{x['step']}({x['n']}:shard:{g.randrange(999)})",
            "workflows.argoproj.io/pod-name-format": "v2",
        },
        spec,
    )


def tekton_template(w: Workload, r: Random, p: Pod) -> Json:
    """Return a task of Tekton."""
    g, x = p.r, p.x
    ent = (
        "gcr.io/tekton-releases/github.com/tektoncd/pipeline/cmd/entrypoint:v0.62.4@sha256:"
        + hashlib.sha256(b"tkn").hexdigest()
    )
    steps = r.sample(
        ["clone", "lint", "unit-test", "build", "push", "scan", "sign", "deploy", "notify"], r.randint(2, 5)
    )
    sha = digits(g, 40)
    base: list[Any] = [
        mount("tekton-internal-workspace", "/workspace"),
        mount("tekton-internal-home", "/tekton/home"),
        mount("tekton-internal-results", "/tekton/results"),
        mount("tekton-internal-steps", "/tekton/steps", True),
    ]
    cs, vols = (
        [],
        [
            empty_volume(n)
            for n in (
                "tekton-internal-workspace",
                "tekton-internal-home",
                "tekton-internal-results",
                "tekton-internal-steps",
                "tekton-internal-bin",
                "tekton-internal-scripts",
            )
        ],
    )
    vols.append(
        {
            "downwardAPI": {
                "defaultMode": 420,
                "items": [
                    {
                        "fieldRef": {
                            "apiVersion": "v1",
                            "fieldPath": "metadata.annotations['tekton.dev/ready']",
                        },
                        "path": "ready",
                    }
                ],
            },
            "name": "tekton-internal-downward",
        }
    )
    vols += [empty_volume(f"tekton-internal-run-{i}") for i in range(len(steps))]
    vols.append(claim_volume("ws-src", "pvc-" + digest(10, "tk", x["pr"])))
    for i, s in enumerate(steps):
        a = (
            ["-wait_file", "/tekton/downward/ready" if i == 0 else f"/tekton/run/{i - 1}/out"]
            + (["-wait_file_content"] if i == 0 else [])
            + [
                "-post_file",
                f"/tekton/run/{i}/out",
                "-termination_path",
                "/tekton/termination",
                "-step_metadata_dir",
                f"/tekton/run/{i}/status",
                "-entrypoint",
                f"/tekton/scripts/script-{i}-{letters(g, 5)}",
                "--",
                "-rev=" + sha,
                f"-ref=refs/pull/{x['prn']}/head",
            ]
            + rand_args(g, r.randint(0, 3))
        )
        cs.append(
            container(
                "step-" + s,
                image_of(r, "ci/" + s),
                command=["/tekton/bin/entrypoint"],
                args=a,
                env=[
                    variable("HOME", "/tekton/home"),
                    variable("GIT_COMMIT", sha),
                    variable("BUILD_ID", str(g.getrandbits(30))),
                    variable("TRACEPARENT", f"00-{digits(g, 32)}-{digits(g, 16)}-01"),
                    *rand_env(r, w, r.randint(1, 6)),
                ],
                terminationMessagePath="/tekton/termination",
                workingDir="/workspace/source",
                resources=resources(max(100, w.cpu // len(steps)), max(128, w.mem // len(steps))),
                volumeMounts=[
                    mount(f"tekton-internal-run-{j}", f"/tekton/run/{j}", j != i) for j in range(len(steps))
                ]
                + [mount("tekton-internal-downward", "/tekton/downward", True)] * (i == 0)
                + [
                    mount("tekton-internal-scripts", "/tekton/scripts", True),
                    mount("tekton-internal-bin", "/tekton/bin", True),
                ]
                + base
                + [mount("ws-src", "/workspace/source")],
            )
        )
    spec: Json = {
        "initContainers": [
            container(
                "prepare",
                ent,
                command=["/ko-app/entrypoint", "init", "/ko-app/entrypoint", "/tekton/bin/entrypoint"]
                + ["step-" + s for s in steps],
                volumeMounts=[
                    mount("tekton-internal-bin", "/tekton/bin"),
                    mount("tekton-internal-steps", "/tekton/steps"),
                ],
                workingDir="/",
            ),
            container(
                "place-scripts",
                "cgr.dev/chainguard/busybox@sha256:" + hashlib.sha256(b"bb").hexdigest(),
                command=["sh"],
                args=[
                    "-c",
                    "scriptfile=\"/tekton/scripts/script-0\"\ntouch ${scriptfile} && chmod +x ${scriptfile}\ncat > ${scriptfile} << '_EOF_'\n"
                    + base64.b64encode(g.randbytes(150)).decode()
                    + '\n_EOF_\n/tekton/bin/entrypoint decode-script "${scriptfile}"\n',
                ],
                volumeMounts=[
                    mount("tekton-internal-scripts", "/tekton/scripts"),
                    mount("tekton-internal-bin", "/tekton/bin"),
                ],
            ),
        ],
        "containers": cs,
        "volumes": vols,
        "restartPolicy": "Never",
        "activeDeadlineSeconds": 5400,
    }
    pool_spec(w, spec)
    return templated(
        {
            "app.kubernetes.io/managed-by": "tekton-pipelines",
            "tekton.dev/memberOf": "tasks",
            "tekton.dev/pipeline": w.name,
            "tekton.dev/pipelineRun": x["pr"],
            "tekton.dev/pipelineTask": x["task"],
            "tekton.dev/task": x["task"],
            "tekton.dev/taskRun": p.name[:-4],
            "triggers.tekton.dev/trigger": "github-pr",
        },
        {
            "pipeline.tekton.dev/affinity-assistant": "affinity-assistant-" + digest(10, x["pr"]),
            "pipeline.tekton.dev/release": "v0.62.4",
            "tekton.dev/ready": "READY",
            "tekton.dev/pipelines.minVersion": "0.17.0",
            "build.nimbusgrid.io/commit": sha,
            "build.nimbusgrid.io/event": compact_json(
                {
                    "action": "synchronize",
                    "number": x["prn"],
                    "head": sha,
                    "title": f"feat({g.choice(TEAMS)}): {g.choice(VERBS)} & {g.choice(NOUNS)} <wip>",
                    "author": f"dev{g.randrange(400)}",
                }
            ),
        },
        spec,
    )


def airflow_template(w: Workload, r: Random, p: Pod) -> Json:
    """Return a task of Airflow."""
    g, x = p.r, p.x
    img = image_of(r, "airflow/" + w.name)
    cmd: list[Any] = [
        "airflow",
        "tasks",
        "run",
        w.name.replace("-", "_"),
        x["task"],
        x["run"],
        "--local",
        "--subdir",
        f"DAGS_FOLDER/{w.name.replace('-', '_')}.py",
    ]
    env = [
        variable("AIRFLOW_IS_K8S_EXECUTOR_POD", "True"),
        variable("AIRFLOW__CORE__EXECUTOR", "LocalExecutor"),
        secret("AIRFLOW__CORE__FERNET_KEY", "airflow-fernet-key", "fernet-key"),
        secret("AIRFLOW__DATABASE__SQL_ALCHEMY_CONN", "airflow-airflow-metadata", "connection"),
        secret("AIRFLOW__WEBSERVER__SECRET_KEY", "airflow-webserver-secret-key", "webserver-secret-key"),
        variable("AIRFLOW__LOGGING__REMOTE_BASE_LOG_FOLDER", "s3://nimbusgrid-airflow-logs/"),
        variable("AIRFLOW_CTX_DAG_RUN_ID", x["run"]),
        variable("AIRFLOW_CTX_TRY_NUMBER", str(x["try"])),
        *job_env(g, w),
        *rand_env(r, w, r.randint(4, 14)),
        variable(
            "PARAMS",
            compact_json(
                {
                    "table": g.choice(NOUNS),
                    "partition": bucket_path(g, w),
                    "limit": g.randrange(10**7),
                    "where": f"a < {g.randrange(99)} && b > {g.randrange(99)}",
                }
            ),
        ),
    ]
    ms: list[Any] = [
        mount("logs", "/opt/airflow/logs"),
        mount("config", "/opt/airflow/airflow.cfg", True, "airflow.cfg"),
        mount("config", "/opt/airflow/config/airflow_local_settings.py", True, "airflow_local_settings.py"),
        mount("dags", "/opt/airflow/dags", True),
    ]
    gs: list[Any] = [
        variable("GITSYNC_REPO", "https://git.nimbusgrid.io/data/dags.git"),
        variable("GITSYNC_REF", "main"),
        variable("GITSYNC_ROOT", "/git"),
        variable("GITSYNC_LINK", "repo"),
        variable("GITSYNC_ONE_TIME", "true"),
        variable("GITSYNC_MAX_FAILURES", "3"),
    ]
    spec: Json = {
        "initContainers": [
            container(
                "git-sync-init",
                "registry.k8s.io/git-sync/git-sync:v4.3.0",
                env=gs,
                securityContext={"runAsUser": 65533},
                volumeMounts=[mount("dags", "/git")],
            )
        ],
        "containers": [
            container(
                "base",
                img,
                args=cmd,
                env=env,
                resources=resources(w.cpu, w.mem, None, w.mem),
                volumeMounts=ms,
            )
        ],
        "volumes": [empty_volume("dags"), empty_volume("logs"), config_volume("config", "airflow-config")],
        "restartPolicy": "Never",
        "securityContext": {"fsGroup": 0, "runAsUser": 50000},
    }
    spread(w, r, spec, {"dag_id": w.name.replace("-", "_"), "kubernetes_executor": "True"})
    pool_spec(w, spec)
    rid = x["run"].replace(":", "").replace("+", "-")
    return templated(
        {
            "airflow-worker": str(chance_for("afw").getrandbits(24)),
            "airflow_version": "2.10.2",
            "component": "worker",
            "dag_id": w.name.replace("-", "_"),
            "kubernetes_executor": "True",
            "release": "airflow",
            "run_id": label(rid),
            "task_id": label(x["task"]),
            "tier": "airflow",
            "try_number": str(x["try"]),
        },
        {
            "dag_id": w.name.replace("-", "_"),
            "run_id": x["run"],
            "task_id": x["task"],
            "try_number": str(x["try"]),
            "checksum/pod-template": digits(r, 64),
        },
        spec,
    )


def job_template(w: Workload, r: Random, p: Pod) -> Json:
    """Return a pod of a Job."""
    g, x = p.r, p.x
    lab: Json = {
        "batch.kubernetes.io/controller-uid": uid("job", p.ns, x["job"]),
        "batch.kubernetes.io/job-name": label(x["job"]),
        "controller-uid": uid("job", p.ns, x["job"]),
        "job-name": label(x["job"]),
        "app.kubernetes.io/name": w.name,
    }
    ann: Json = {}
    img = image_of(r, "jobs/" + w.name)
    c = app_container(
        w, r, r.choice(["main", "job", w.name]), img, w.cpu, w.mem, ports=False, heavy=r.random() < 0.6
    )
    have = {e["name"] for e in c["env"]}
    c["env"] = [e for e in job_env(g, w) if e["name"] not in have] + c["env"]
    c["args"] = job_args(g, w, g.randint(1, 4))
    spec: Json = {"containers": [c], "restartPolicy": r.choice(["Never", "Never", "OnFailure"])}
    app_volumes(w, r, c, spec)
    if "i" in x:
        ann["batch.kubernetes.io/job-completion-index"] = str(x["i"])
        lab["batch.kubernetes.io/job-completion-index"] = str(x["i"])
        c["env"].append(
            field("JOB_COMPLETION_INDEX", "metadata.labels['batch.kubernetes.io/job-completion-index']")
        )
        spec["hostname"] = label(f"{x['job']}-{x['i']}")
    if r.random() < 0.5:
        spec["initContainers"] = [
            container(
                "fetch",
                "amazon/aws-cli:2.18.0",
                args=["s3", "cp", bucket_path(g, w), "/tmp/in"],
                env=[variable("AWS_REGION", "us-east-1"), variable("FETCH_ID", digits(g, 12))],
            )
        ]
    if r.random() < 0.4:
        spec["activeDeadlineSeconds"] = r.choice([1800, 7200, 43200])
    pool_spec(w, spec)
    return templated(lab, ann, spec)


def gitlab_template(w: Workload, r: Random, p: Pod) -> Json:
    """Return a job of GitLab's runner."""
    g, x = p.r, p.x
    log = f"/logs-{x['proj']}-{x['jid']}/output.log"
    sha = digits(g, 40)
    ci = [
        ("CI_PIPELINE_ID", str(g.randrange(10**7))),
        ("CI_JOB_ID", str(x["jid"])),
        ("CI_COMMIT_SHA", sha),
        ("CI_COMMIT_SHORT_SHA", sha[:8]),
        ("CI_COMMIT_REF_NAME", f"feature/{g.choice(NOUNS)}-{g.randrange(9999)}"),
        ("CI_PROJECT_PATH", "platform/" + w.name),
        ("CI_JOB_NAME", g.choice(["test", "build", "lint", "e2e"]) + f": [{g.randint(1, 8)}/{8}]"),
        ("CI_SERVER_URL", "https://git.nimbusgrid.io"),
        ("CI_REGISTRY", REGISTRY),
        (
            "CI_COMMIT_MESSAGE",
            f"fix({g.choice(TEAMS)}): handle <nil> in {g.choice(NOUNS)} && retry\n\nCloses #{g.randrange(9999)}\n",
        ),
        ("CI_COMMIT_TIMESTAMP", stamp(p.created - 60)),
        ("GITLAB_USER_LOGIN", f"dev{g.randrange(400)}"),
        ("FF_NETWORK_PER_BUILD", "false"),
        ("FF_USE_FASTZIP", "true"),
        ("CI_JOB_IMAGE", "golang:1.23"),
        ("CI_NODE_TOTAL", "8"),
    ] + [
        (f"CI_FEATURE_{a}_{b}", "true")
        for a, b in zip(r.sample(PREFIXES, 14), r.sample(PREFIXES, 14), strict=False)
    ]
    envs: list[Any] = [variable(a, b) for a, b in ci]
    ms: list[Any] = [
        mount("scripts", f"/scripts-{x['proj']}-{x['jid']}"),
        mount("logs", f"/logs-{x['proj']}-{x['jid']}"),
        mount("repo", "/builds"),
    ]
    cmd: list[Any] = [
        "sh",
        "-c",
        "if [ -x /usr/local/bin/bash ]; then\n\texec /usr/local/bin/bash \nelif [ -x /bin/bash ]; then\n\texec /bin/bash \nelse\n\techo shell not found\n\texit 1\nfi\n\n",
    ]
    hp = "registry.gitlab.com/gitlab-org/gitlab-runner/gitlab-runner-helper:x86_64-v17.5.0"
    spec: Json = {
        "initContainers": [
            container(
                "init-permissions",
                hp,
                command=[
                    "sh",
                    "-c",
                    f"touch {log} && (chmod 777 {log} || exit 1)",
                ],
                volumeMounts=ms,
            )
        ],
        "containers": [
            container(
                "build",
                r.choice(
                    ["golang:1.23", "python:3.12-slim", "node:22-bookworm", "maven:3.9-eclipse-temurin-21"]
                ),
                command=cmd,
                env=envs,
                stdin=True,
                resources=resources(w.cpu, w.mem, None, w.mem),
                volumeMounts=ms,
            ),
            container(
                "helper",
                hp,
                command=cmd,
                env=[dict(e) for e in envs],
                stdin=True,
                resources=resources(100, 128),
                volumeMounts=[dict(m) for m in ms],
            ),
        ],
        "volumes": [
            empty_volume("repo"),
            empty_volume("logs"),
            config_volume("scripts", f"runner-scripts-{x['jid']}", defaultMode=511, optional=False),
        ],
        "restartPolicy": "Never",
        "automountServiceAccountToken": False,
        "terminationGracePeriodSeconds": 0,
    }
    pool_spec(w, spec)
    return templated(
        {
            "job.runner.gitlab.com/pod": p.name.rsplit("-", 1)[0],
            "manager.runner.gitlab.com/id-short": digest(8, "runner", w.name),
            "project.runner.gitlab.com/id": str(x["proj"]),
        },
        {
            "job.runner.gitlab.com/id": str(x["jid"]),
            "job.runner.gitlab.com/name": dict(ci)["CI_JOB_NAME"],
            "job.runner.gitlab.com/sha": sha,
            "job.runner.gitlab.com/url": f"https://git.nimbusgrid.io/platform/{w.name}/-/jobs/{x['jid']}",
            "project.runner.gitlab.com/id": str(x["proj"]),
        },
        spec,
    )


def train_template(w: Workload, r: Random, p: Pod) -> Json:
    """Return a member of a training job."""
    g, x = p.r, p.x
    lab: Json = {
        "training.kubeflow.org/job-name": x["job"],
        "training.kubeflow.org/operator-name": "pytorchjob-controller",
        "training.kubeflow.org/replica-index": str(x["i"]),
        "training.kubeflow.org/replica-type": x["role"],
        DOMAIN + "/team": r.choice(TEAMS),
        "kueue.x-k8s.io/queue-name": "gpu-" + r.choice(["research", "prod"]),
    }
    if x["role"] == "master":
        lab["training.kubeflow.org/job-role"] = "master"
    hp: list[Any] = [
        f"--lr={g.uniform(1e-5, 1e-2):.6f}",
        f"--batch-size={g.choice([8, 16, 32, 64])}",
        f"--warmup={g.randrange(100, 5000)}",
        "--data=" + bucket_path(g, w),
        f"--run-name={x['job']}-{digits(g, 6)}",
        f"--dropout={g.random():.3f}",
    ]
    env = [
        variable("PYTHONUNBUFFERED", "1"),
        variable("MASTER_PORT", "23456"),
        variable("PET_MASTER_PORT", "23456"),
        variable("MASTER_ADDR", x["job"] + "-master-0"),
        variable("PET_MASTER_ADDR", x["job"] + "-master-0"),
        variable("WORLD_SIZE", str(x["k"])),
        variable("RANK", str(x["i"] + (x["role"] != "master"))),
        variable("PET_NPROC_PER_NODE", str(w.gpu)),
        variable("PET_NNODES", str(x["k"])),
        variable("NCCL_DEBUG", "INFO"),
        variable("NCCL_SOCKET_IFNAME", "^lo,docker0,cilium_host"),
        variable("FI_PROVIDER", "efa"),
        secret("WANDB_API_KEY", "wandb", "key"),
        variable("WANDB_RUN_ID", digits(g, 8)),
        variable("HF_HOME", "/cache/hf"),
        *rand_env(r, w, r.randint(3, 9)),
        *job_env(g, w)[2:4],
    ]
    c = container(
        "pytorch",
        image_of(r, "training/" + w.name),
        command=["torchrun", "-m", "train." + w.name.replace("-", "_")],
        args=hp + rand_args(r, 3),
        env=env,
        ports=[container_port(23456, "pytorchjob-port")],
        resources=resources(w.cpu, w.mem, w.cpu, w.mem, nvidia_com__gpu=w.gpu),
        volumeMounts=[
            mount("dshm", "/dev/shm"),
            mount("cache", "/cache"),
            mount("datasets", "/datasets", True),
        ],
        securityContext={"capabilities": {"add": ["IPC_LOCK"]}},
    )
    spec: Json = {
        "containers": [c],
        "volumes": [
            empty_volume("dshm", medium="Memory", sizeLimit="64Gi"),
            host_volume("cache", "/mnt/nvme/cache", "DirectoryOrCreate"),
            claim_volume("datasets", "datasets-" + r.choice(TEAMS)),
        ],
        "restartPolicy": "OnFailure" if r.random() < 0.4 else "Never",
    }
    if r.random() < 0.5:
        spec["schedulerName"] = "volcano"
    if x["role"] == "worker":
        spec["initContainers"] = [
            container(
                "init-pytorch",
                "alpine:3.20",
                command=[
                    "sh",
                    "-c",
                    f"err=1;for i in $(seq 100); do if nslookup {x['job']}-master-0; then err=0 && break; fi;echo waiting for master; sleep 2; done; exit $err",
                ],
                resources=resources(50, 10, 100, 20),
            )
        ]
    spec["affinity"] = {
        "podAffinity": {
            "preferredDuringSchedulingIgnoredDuringExecution": [
                {
                    "podAffinityTerm": {
                        "labelSelector": {"matchLabels": {"training.kubeflow.org/job-name": x["job"]}},
                        "topologyKey": "topology.kubernetes.io/zone",
                    },
                    "weight": 100,
                }
            ]
        }
    }
    pool_spec(w, spec)
    return templated(
        lab,
        {
            "scheduling.k8s.io/group-name": x["job"],
            "sidecar.istio.io/inject": "false",
            DOMAIN + "/experiment": compact_json(
                {
                    "id": uid("exp", x["job"]),
                    "sweep": g.randrange(99),
                    "params": {"layers": r.randint(6, 80), "hidden": r.choice([768, 1024, 4096, 8192])},
                }
            ),
        },
        spec,
    )
