# The files of contrib/ci: they are well formed, name options that there are, and their scripts do what they
# say, run here with little programs in place of what a CI has.

load common

setup() {
    cd "$BATS_TEST_TMPDIR"
    "$PYTHON" -c 'import yaml' 2>/dev/null || skip 'no python with yaml'
    GITHUB=$IOBENCH_SOURCE/contrib/ci/github.yml
    GITLAB=$IOBENCH_SOURCE/contrib/ci/gitlab.yml
    mkdir bin base new
    ln -s "$IOBENCH" bin/iobench
    seq 1 2000 >testdata
    cp testdata new/testdata
    make_program . "cat"
    make_program base "cat"
    make_program new "cat"
    export PATH=$PWD/bin:$PATH GITHUB_STEP_SUMMARY=$PWD/summary GITHUB_SHA=abc CI_COMMIT_SHA=abc
    # what stands under env, but quick
    export BUILD=true PROGRAM='./program {}' FILE=testdata MAX_SLOWDOWN=100 MAX_SLOWDOWN_OF_RUNS=100
    export IOBENCH_OPTIONS='--quick --rounds=12 --trial-time=100us --mode=sysread'
}

ci() {
    "$PYTHON" "$BATS_TEST_DIRNAME/ci.py" "$@"
}

# make_program DIRECTORY COMMAND: what is timed.
make_program() {
    printf '#!/bin/sh\n%s "$@"\n' "$2" >"$1/program"
    chmod +x "$1/program"
}

# run_step JOB STEP: a script of the workflow, as GitHub runs it.
run_step() {
    LAST_RUN="$1: $2"
    ci script "$GITHUB" "$1" "$2" >step.sh
    [ -s step.sh ] || fail "there is no such step"
    status=0
    timeout -s KILL $HANG bash --noprofile --norc -eo pipefail step.sh >"$OUT" 2>"$ERR" 3>&- || status=$?
}

# run_job JOB: all scripts of a GitLab job.
run_job() {
    LAST_RUN="$1"
    ci script "$GITLAB" "$1" >job.sh
    [ -s job.sh ] || fail "there is no such job"
    status=0
    timeout -s KILL $HANG bash --noprofile --norc -eo pipefail job.sh >"$OUT" 2>"$ERR" 3>&- || status=$?
}

# was_faster FILE: in this recorded run the program took a thousandth of its time.
was_faster() {
    jq '(.results[] | select(.mode == "program") | .trials[].wall_ns) |= ([. / 1000, 1] | max | floor)' "$1" >t
    mv t "$1"
}

@test "the files of contrib/ci are good YAML" {
    need yamllint
    yamllint --strict -d '{extends: default, rules: {line-length: {max: 120}}}' "$GITHUB" "$GITLAB"
}

@test "the GitHub workflow has the structure of one, and the GitLab file of jobs" {
    ci github "$GITHUB"
    ci gitlab "$GITLAB"
    if command -v check-jsonschema >/dev/null; then
        check-jsonschema --builtin-schema vendor.github-workflows "$GITHUB"
        check-jsonschema --builtin-schema vendor.gitlab-ci "$GITLAB"
    fi
}

@test "that test sees an unknown key, an unknown input and an expression inside a script" {
    sed 's/timeout-minutes:/timeout-minuets:/' "$GITHUB" >x.yml
    refute ci github x.yml
    sed 's/output-file-path:/output-path:/' "$GITHUB" >x.yml
    refute ci github x.yml
    sed 's/^          \$BUILD$/          ${{ github.head_ref }}/' "$GITHUB" >x.yml
    refute ci github x.yml
    sed 's/resource_group:/resource-group:/' "$GITLAB" >x.yml
    refute ci gitlab x.yml
}

@test "every option in contrib/ci is one of its command" {
    local line command option
    for file in "$GITHUB" "$GITLAB"; do
        ci commands "$file" >commands
        [ "$(wc -l <commands)" -ge 3 ] || fail "too few commands: $(cat commands)"
        while read -r _ command line; do
            for option in $(grep -oE -- '(^| )--[a-z][a-z-]*' <<<"$line $(sed -n 's/^ *IOBENCH_OPTIONS: //p' "$file")"); do
                [ "$command" = compare ] && [[ $line != *"$option"* ]] && continue # IOBENCH_OPTIONS are of read
                "$IOBENCH" "$command" --help | grep -qE -- "^ +(-[a-z], )?$option(=| |$)" ||
                    fail "$command has no $option"
            done
        done <commands
    done
}

@test "the packages that contrib/ci installs are those of bootstrap" {
    local wanted
    wanted=$(sed -n '/^build_packages=/,/)/p' "$IOBENCH_SOURCE/bootstrap" | sed 's/.*(//; s/)//' | xargs -n 1 | sort)
    for file in "$GITHUB" "$GITLAB"; do
        for package in $wanted; do
            grep -qE "(^| )$package( |\$)" "$file" || fail "$(basename "$file") does not install $package"
        done
    done
}

@test "the workflow's gate passes what is as fast, and fails what is slower, each with its table" {
    run_step gate 'Build the program, before and after'
    status_is 0
    run_step gate 'Compare both in the same rounds'
    status_is 0
    grep -q '^| new |' summary || fail 'the summary has no table'
    is_report gate.json
    make_program new 'sleep 0.2; cat'
    rm -f summary
    run_step gate 'Compare both in the same rounds'
    status_is 1
    grep -q '^| new |.*slower' summary || fail 'the summary does not say slower'
}

@test "the workflow's comment is written over the last one, or anew" {
    printf '#!/bin/sh\necho "$*" >>"%s/said"\ncase $* in *--edit-last*) exit "${NO_LAST:-0}";; esac\n' "$PWD" >bin/gh
    chmod +x bin/gh
    export PULL_REQUEST=7
    run_step gate 'Say it on the pull request'
    status_is 0 # nothing was measured, nothing is said
    [ ! -e said ]
    echo table >gate.md
    run_step gate 'Say it on the pull request'
    equal "$(cat said)" 'pr comment 7 --edit-last --body-file gate.md'
    NO_LAST=1 run_step gate 'Say it on the pull request'
    equal "$(tail -n 1 said)" 'pr comment 7 --body-file gate.md'
}

@test "the workflow records a run, and compares the next one with it" {
    run_step record Measure
    status_is 0
    for kind in smaller bigger; do
        "$PYTHON" "$BATS_TEST_DIRNAME/exports.py" $kind run.gha-$kind.json run.json
    done
    equal "$(jq -r .labels.commit run.json)" abc
    run_step record 'Compare with the run before' # there is none
    status_is 0
    run_step record 'Keep this run for the next one'
    [ -s base.json ] && [ ! -e run.json ] || fail 'it is not kept'
    was_faster base.json
    run_step record Measure
    status_is 0
    run_step record 'Compare with the run before'
    status_is 1
    grep -q '^| read/program |.*regressed |$' summary || fail 'the summary has no regression'
    jq '.command = "recv"' base.json >t && mv t base.json
    run_step record 'Compare with the run before'
    status_is 0
    prints '::warning::'
}

@test "the GitLab jobs gate a merge request, and compare the default branch with its last run" {
    need git
    export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=x GIT_AUTHOR_EMAIL=x@x GIT_COMMITTER_NAME=x GIT_COMMITTER_EMAIL=x@x
    git init -q .
    git add program testdata
    git commit -qm base
    CI_MERGE_REQUEST_DIFF_BASE_SHA=$(git rev-parse HEAD)
    export CI_MERGE_REQUEST_DIFF_BASE_SHA
    # the scripts use /tmp/base: of this test it is elsewhere
    sed "s|/tmp/base|$PWD/before|g" "$GITLAB" >jobs.yml
    GITLAB=jobs.yml
    printf '#!/bin/sh\necho "$*" >>"%s/posted"\n' "$PWD" >bin/curl
    chmod +x bin/curl
    run_job iobench-gate
    status_is 0
    [ -s run.md ] && [ -s run.prom ] || fail 'no reports'
    [ ! -e posted ] || fail 'a comment without a token'
    git worktree prune
    make_program . 'sleep 0.2; cat'
    export GITLAB_TOKEN=secret CI_API_V4_URL=https://x CI_PROJECT_ID=1 CI_MERGE_REQUEST_IID=2
    run_job iobench-gate
    status_is 1
    grep -q 'body@run.md https://x/projects/1/merge_requests/2/notes' posted || fail "$(cat posted)"
    make_program . cat
    run_job iobench-record
    status_is 0
    [ -s .iobench/base.json ] || fail 'it is not kept'
    was_faster .iobench/base.json
    run_job iobench-record
    status_is 1
    grep -q 'regressed' compare.md
}
