"""How pods fare."""

from __future__ import annotations

from random import Random
from typing import Any, Final

from scripts.bench.made.chance import Json
from scripts.bench.made.platform.given import DOMAIN, GIVEN, NOW, stamp
from scripts.bench.made.platform.nodes import image_id
from scripts.bench.made.platform.owned import Pod


def whole_image(im: str) -> str:
    """Return an image with its registry."""
    if "/" not in im:
        return "docker.io/library/" + im
    if "." not in im.split("/", maxsplit=1)[0]:
        return "docker.io/" + im
    return im


def container_id(r: Random) -> str:
    """Return the id of a container."""
    return f"containerd://{r.getrandbits(256):064x}"


def terminated(r: Random, a: float, b: float, code: int = 0, reason: Any = None, msg: Any = None) -> Json:
    """Return the state of a container that ended."""
    d: Json = {
        "containerID": container_id(r),
        "exitCode": code,
        "finishedAt": stamp(b),
        "reason": reason or ("Completed" if code == 0 else "Error"),
        "startedAt": stamp(a),
    }
    if msg:
        d["message"] = msg
    return {"terminated": d}


FAILURES: Final[Any] = [
    (1, "Error"),
    (1, "Error"),
    (137, "OOMKilled"),
    (137, "Error"),
    (143, "Error"),
    (2, "Error"),
    (139, "Error"),
    (255, "Error"),
]


def container_status(
    c: Json, r: Random, state: Any, ready: Any, started: Any, rc: int = 0, last: Any = None
) -> Json:
    """Return the status of a container."""
    d: Json = {
        "image": whole_image(c["image"]),
        "imageID": "",
        "lastState": last or {},
        "name": c["name"],
        "ready": ready,
        "restartCount": rc,
        "started": started,
        "state": state,
    }
    t: Any = state.get("terminated")
    if "running" in state:
        d["containerID"] = container_id(r)
    elif t:
        d["containerID"] = t["containerID"]
    elif last:
        d["containerID"] = last["terminated"]["containerID"]
    if "containerID" in d:
        d["imageID"] = image_id(c["image"])
    else:
        d["image"] = c["image"]
    return d


def condition(ty: Any, st: Any, t: float, reason: Any = None, msg: Any = None) -> Json:
    """Return a condition of a pod."""
    d: Json = {"lastProbeTime": None, "lastTransitionTime": stamp(t), "status": st, "type": ty}
    if reason:
        d["reason"] = reason
    if msg:
        d["message"] = msg
    return d


def status(p: Pod, spec: Json, qos: Any, u: Any) -> tuple[Json, float]:
    """Return the status of a pod, and when it changed last."""
    r, st, n, began = p.r, p.state, p.node, p.created
    if n is None:
        msg = f"0/{GIVEN.nodes} nodes are available: {GIVEN.nodes // 3 + 1} Insufficient {'nvidia.com/gpu' if p.w.gpu else 'cpu'}, {GIVEN.nodes - GIVEN.nodes // 3 - 1} node(s) had untolerated taint {{{DOMAIN}/dedicated: data}}. preemption: 0/{GIVEN.nodes} nodes are available: {GIVEN.nodes} No preemption victims found for incoming pod."
        return {
            "conditions": [condition("PodScheduled", "False", began + 1, "Unschedulable", msg)],
            "phase": "Pending",
            "qosClass": qos,
        }, began + 1
    now = NOW - 1
    sched = min(began + (0 if r.random() < 0.8 else r.randint(1, 40)), now)
    start = min(sched + (0 if r.random() < 0.6 else 1), now)
    t = min(start + r.randint(1, 6), now)
    t_net = t
    inits, cs = spec.get("initContainers", []), spec["containers"]
    ics: list[Any] = []
    blocked: Any = st in ("creating", "pull") and st == "creating"
    initrun: Any = st == "initrun" and bool(inits)
    for i, c in enumerate(inits):
        side = c.get("restartPolicy") == "Always"
        if blocked or (initrun and i == len(inits) - 1):
            if initrun and not blocked:
                ics.append(container_status(c, r, {"running": {"startedAt": stamp(t)}}, side, True))
            else:
                ics.append(
                    container_status(
                        c,
                        r,
                        {"waiting": {"reason": "PodInitializing" if inits else "ContainerCreating"}},
                        False,
                        False,
                    )
                )
            continue
        a = t
        b = min(a + (0 if r.random() < 0.3 else r.randint(1, 25)), now)
        t = min(b + 1, now)
        if side:
            done = st in ("succ", "fail", "evicted")
            ics.append(
                container_status(
                    c,
                    r,
                    terminated(r, a, min(now, max(a, began + p.dur)), 0)
                    if done
                    else {"running": {"startedAt": stamp(a)}},
                    not done,
                    not done,
                )
            )
        else:
            rc: Any = 0 if r.random() < 0.97 else r.randint(1, 4)
            last = None
            if rc:
                last = terminated(r, a, min(b, a + 1), 1)
                a = min(b, a + 2)
            ics.append(container_status(c, r, terminated(r, a, b), True, False, rc, last))
    t_init: Any = t if inits else start
    out, ready_at, unready = [], t, []
    main = max(
        range(len(cs)),
        key=lambda i: (
            cs[i]["name"] in ("main", "base", "build", "pytorch", "app", p.w.name)
            or cs[i]["name"].startswith("spark")
        ),
    )
    end = min(now, max(t + 1, began + p.dur))
    last_end = end
    code, why = r.choice(FAILURES)
    flap = r.random()
    for i, c in enumerate(cs):
        if st == "creating" or initrun:
            out.append(
                container_status(
                    c,
                    r,
                    {"waiting": {"reason": "PodInitializing" if inits else "ContainerCreating"}},
                    False,
                    False,
                )
            )
            unready.append(c["name"])
            continue
        a = min(now, t + r.randint(0, 4))
        if st in ("succ", "fail", "evicted"):
            b = max(a, end - (r.randint(0, 3) if i != main else 0))
            last_end = max(last_end, b)
            if st == "succ" or (st == "fail" and i != main):
                s = terminated(r, a, b)
            elif st == "evicted":
                s = terminated(r, a, b, 137, "Error")
            else:
                s = terminated(
                    r,
                    a,
                    b,
                    code,
                    why,
                    f'Traceback (most recent call last):\n  File "/app/run.py", line {r.randrange(900)}, in <module>\nRuntimeError: shard {r.randrange(500)} failed & was retried\n'
                    if c["terminationMessagePolicy"] != "File" or r.random() < 0.15
                    else None,
                )
            rc, last = 0, None
            if spec["restartPolicy"] == "OnFailure" and r.random() < 0.2 and b - a > 60:
                rc = r.randint(1, 3)
                m = a + (b - a) // 2
                last = terminated(r, a, m, 1)
                s["terminated"]["startedAt"] = stamp(m + 10)
            out.append(container_status(c, r, s, False, False, rc, last))
            unready.append(c["name"])
            continue
        if st == "pull" and i == main:
            out.append(
                container_status(
                    c,
                    r,
                    {
                        "waiting": {
                            "message": f'Back-off pulling image "{c["image"]}"',
                            "reason": "ImagePullBackOff",
                        }
                    },
                    False,
                    False,
                )
            )
            unready.append(c["name"])
            continue
        if st == "crash" and i == main:
            b = max(a, now - r.randint(5, 280))
            ex: Any = r.choice(FAILURES[:6])
            rc = r.randint(2, 2 + min(2000, max(0, (b - a) // 310)))
            out.append(
                container_status(
                    c,
                    r,
                    {
                        "waiting": {
                            "message": f"back-off 5m0s restarting failed container={c['name']} pod={p.name}_{p.ns}({u})",
                            "reason": "CrashLoopBackOff",
                        }
                    },
                    False,
                    False,
                    rc,
                    terminated(r, max(a, b - r.randint(1, 60)), b, ex[0], ex[1]),
                )
            )
            unready.append(c["name"])
            ready_at = max(ready_at, b)
            continue
        rc, last, s0 = 0, None, a
        if spec["restartPolicy"] != "Never" and now - a > 1800 and r.random() < (0.13 if i == main else 0.03):
            rc = 1 if r.random() < 0.6 else r.randint(2, 40)
            b = int(r.uniform(a + 600, now - 60))
            ex = r.choice(FAILURES + [(0, "Completed")] * 3)
            last = terminated(r, max(a, b - r.randint(60, 500000)), b, ex[0], ex[1])
            s0 = min(now, b + r.choice([1, 1, 2, 11, 22, 43]))
        ok = not (flap < 0.012 and i == main and "readinessProbe" in c)
        if not ok:
            unready.append(c["name"])
        out.append(container_status(c, r, {"running": {"startedAt": stamp(s0)}}, ok, True, rc, last))
        delay = c.get("readinessProbe", {}).get("initialDelaySeconds", 0) + (
            r.randint(1, 12) if "readinessProbe" in c else 0
        )
        ready_at = max(ready_at, min(now, s0 + delay))
    {c["name"]: c for c in cs}
    out = sorted(out, key=lambda d: d["name"])
    host: Any = spec.get("hostNetwork")
    d: Json = {}
    change = ready_at
    net = condition("PodReadyToStartContainers", "True", min(now, t_net + (1 if st != "creating" else 0)))
    ps = condition("PodScheduled", "True", sched)
    if st in ("succ", "fail"):
        t1 = min(now, last_end + r.randint(0, 2))
        rs: Any = "PodCompleted" if st == "succ" else "PodFailed"
        conds: list[Any] = [
            condition("PodReadyToStartContainers", "False", min(now, t1 + 1)),
            condition("Initialized", "True", t_init, "PodCompleted" if st == "succ" else None),
            condition("Ready", "False", t1, rs),
            condition("ContainersReady", "False", t1, rs),
            ps,
        ]
        phase, change = ("Succeeded" if st == "succ" else "Failed"), t1
    elif st == "evicted":
        t1 = min(now, last_end + 1)
        what: Any = r.choice(["ephemeral-storage", "memory"])
        d["reason"] = "Evicted"
        d["message"] = (
            f"The node was low on resource: {what}. Threshold quantity: {'53687091200' if what[0] == 'e' else '100Mi'}, available: {r.randrange(10**5)}Ki. Container {cs[main]['name']} was using {r.randrange(10**8)}Ki, request is 0, has larger consumption of {what}. "
        )
        conds = [
            condition("DisruptionTarget", "True", t1, "TerminationByKubelet", d["message"]),
            condition("PodReadyToStartContainers", "False", t1),
            condition("Initialized", "True", t_init),
            condition("Ready", "False", t1, "PodFailed"),
            condition("ContainersReady", "False", t1, "PodFailed"),
            ps,
        ]
        phase, change = "Failed", t1
    else:
        phase = "Running"
        if st == "creating":
            net = condition("PodReadyToStartContainers", "False", start)
        if (st == "creating" and inits) or initrun:
            ini = condition(
                "Initialized",
                "False",
                start,
                "ContainersNotInitialized",
                f"containers with incomplete status: [{' '.join(c['name'] for c in (inits if st == 'creating' else inits[-1:]))}]",
            )
        else:
            ini = condition("Initialized", "True", t_init)
        if unready:
            m = f"containers with unready status: [{' '.join(unready)}]"
            rt: Any = start if st in ("creating", "pull", "initrun") else ready_at
            rd: list[Any] = [
                condition(k, "False", rt, "ContainersNotReady", m) for k in ("Ready", "ContainersReady")
            ]
            if st in ("creating", "pull", "initrun"):
                phase = "Pending"
        else:
            rd = [condition(k, "True", ready_at) for k in ("Ready", "ContainersReady")]
        conds = [net, ini, *rd, ps]
    d.update(
        {
            "conditions": conds,
            "containerStatuses": out,
            "hostIP": n.ip,
            "hostIPs": [{"ip": n.ip}],
            "phase": phase,
            "qosClass": qos,
            "startTime": stamp(start),
        }
    )
    if ics:
        d["initContainerStatuses"] = ics
    ip: Any = n.ip if host else p.ip
    if ip and not (st == "creating" and not host):
        d["podIP"] = ip
        d["podIPs"] = [{"ip": ip}]
    if spec.get("ephemeralContainers"):
        e: list[Any] = []
        for c in spec["ephemeralContainers"]:
            a = int(r.uniform(ready_at, now))
            change = max(change, a)
            s = (
                {"running": {"startedAt": stamp(a)}}
                if r.random() < 0.3
                else terminated(r, a, min(now, a + r.randint(30, 3000)), r.choice([0, 0, 130, 137]))
            )
            x = container_status(c, r, s, False, False)
            del x["started"]
            e.append(x)
        d["ephemeralContainerStatuses"] = e
    return d, change
