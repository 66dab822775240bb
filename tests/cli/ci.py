"""The files of contrib/ci: their structure, and the scripts in them.

ci.py github|gitlab FILE             exits with what is wrong
ci.py scripts FILE JOB               names of the steps of a job that run a script (GitHub)
ci.py script FILE JOB [STEP]         that script
ci.py commands FILE                  every command line of iobench in the file, a line each
"""
import re
import sys

import yaml

TOP = {"name", "on", "permissions", "env", "jobs", "concurrency", "defaults", "run-name"}
JOB = {"name", "if", "needs", "runs-on", "timeout-minutes", "permissions", "concurrency", "env", "steps",
       "strategy", "outputs", "defaults", "continue-on-error"}
STEP = {"id", "if", "name", "uses", "run", "shell", "with", "env", "continue-on-error",
        "timeout-minutes", "working-directory"}
# The actions in use, with what they take (their action.yml).
ACTIONS = {
    "actions/checkout@v4": {"repository", "ref", "token", "path", "fetch-depth", "submodules"},
    "actions/upload-artifact@v4": {"name", "path", "if-no-files-found", "retention-days", "overwrite"},
    "actions/cache/restore@v4": {"path", "key", "restore-keys", "fail-on-cache-miss", "lookup-only"},
    "actions/cache/save@v4": {"path", "key", "upload-chunk-size"},
    "benchmark-action/github-action-benchmark@v1": {
        "name", "tool", "output-file-path", "gh-pages-branch", "gh-repository", "benchmark-data-dir-path",
        "github-token", "ref", "auto-push", "skip-fetch-gh-pages", "comment-always", "summary-always",
        "save-data-file", "comment-on-alert", "alert-threshold", "fail-on-alert", "fail-threshold",
        "alert-comment-cc-users", "external-data-json-path", "max-items-in-chart"},
}
CONTEXTS = {"github", "env", "vars", "secrets", "job", "steps", "runner", "needs", "inputs", "matrix"}
GITLAB_JOB = {"extends", "image", "timeout", "before_script", "script", "after_script", "rules", "variables",
              "artifacts", "cache", "resource_group", "stage", "needs", "tags", "interruptible"}
GITLAB_TOP = {"variables", "stages", "default", "include", "workflow", "image", "cache"}


def load(path):
    with open(path, encoding="utf-8") as stream:
        return yaml.safe_load(stream)


def check(wrong, condition, what):
    if not condition:
        wrong.append(what)


def check_step(wrong, where, step):
    check(wrong, set(step) <= STEP, f"{where}: unknown {set(step) - STEP}")
    check(wrong, ("uses" in step) != ("run" in step), f"{where}: neither uses nor run, or both")
    if "uses" in step:
        known = ACTIONS.get(step["uses"])
        check(wrong, known is not None, f"{where}: {step['uses']} is not known here")
        given = set(step.get("with", {}))
        check(wrong, given <= (known or given), f"{where}: {step['uses']} takes no {given - (known or set())}")
    else:
        # what others wrote, a title for instance, must not become part of a script
        check(wrong, "${{" not in step["run"], f"{where}: an expression inside a script")
    if step.get("uses", "").startswith("benchmark-action/"):
        kind = {"customSmallerIsBetter": "smaller", "customBiggerIsBetter": "bigger"}[step["with"]["tool"]]
        check(wrong, step["with"]["output-file-path"].endswith(f".gha-{kind}.json"), f"{where}: direction")


def check_github(path):
    wrong, document = [], load(path)
    check(wrong, set(document) <= TOP and {"on", "jobs"} <= set(document), f"top: {sorted(document)}")
    for name, job in document["jobs"].items():
        check(wrong, set(job) <= JOB, f"{name}: unknown {set(job) - JOB}")
        check(wrong, "runs-on" in job and "timeout-minutes" in job, f"{name}: runs-on, timeout-minutes")
        for i, step in enumerate(job["steps"]):
            check_step(wrong, f"{name}, step {i + 1}", step)
    text = open(path, encoding="utf-8").read()
    for expression in re.findall(r"\$\{\{(.*?)\}\}", text):
        context = expression.strip().split(".")[0]
        check(wrong, context in CONTEXTS, f"no such context: {expression}")
        if context == "env":
            check(wrong, expression.strip()[4:] in document["env"], f"not set: {expression}")
    return wrong


def check_gitlab(path):
    wrong, document = [], load(path)
    jobs = {k: v for k, v in document.items() if k not in GITLAB_TOP}
    for name, job in jobs.items():
        check(wrong, set(job) <= GITLAB_JOB, f"{name}: unknown {set(job) - GITLAB_JOB}")
        check(wrong, name.startswith(".") or "script" in job, f"{name}: no script")
        check(wrong, job.get("extends", ".iobench") in jobs, f"{name}: extends what is not there")
        for key in ("before_script", "script"):
            lines = job.get(key, [])
            check(wrong, isinstance(lines, list) and all(isinstance(l, str) for l in lines), f"{name}: {key}")
        for key, value in job.get("variables", {}).items():
            check(wrong, isinstance(value, str), f"{name}: {key} is no text")
        reports = job.get("artifacts", {}).get("reports", {})
        check(wrong, set(reports) <= {"metrics"}, f"{name}: reports")
    for key, value in document.get("variables", {}).items():
        check(wrong, isinstance(value, str), f"{key} is no text")
    return wrong


def scripts(path):
    """(job, step or None, script) of a file of either kind."""
    document = load(path)
    if "jobs" in document:
        for name, job in document["jobs"].items():
            for step in job["steps"]:
                if "run" in step:
                    yield name, step["name"], step["run"]
    else:
        for name, job in document.items():
            if name not in GITLAB_TOP and "script" in job:
                yield name, None, "\n".join(job["script"]) + "\n"


def main(what, path, job=None, step=None):
    if what in ("github", "gitlab"):
        sys.exit("\n".join((check_github if what == "github" else check_gitlab)(path)) or 0)
    for in_job, in_step, script in scripts(path):
        if what == "commands":
            joined = re.sub(r"\\\n\s*", " ", script)
            for line in re.findall(r"^.*?\b(iobench (?:read|recv|epoll|echo|compare) .*)$", joined, re.M):
                print(line)
        elif in_job == job and what == "scripts":
            print(in_step)
        elif in_job == job and in_step == step:
            print(script, end="")


main(*sys.argv[1:])
