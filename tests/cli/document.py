"""Checks JSON reports of iobench.

    document.py check SCHEMA FILE...     each is one strict JSON document that fits the schema
    document.py figures SCHEMA FILE...   and its figures follow from its trials

The figures are computed here a second time, from the formulas of the manual and from nothing of the
program's.
"""
import json
import math
import os
import statistics
import sys


subject = ""


def refuse(message):
    sys.exit("%s\n  %s" % (subject, message))


def no_duplicates(pairs):
    keys = [key for key, _ in pairs]
    for key in keys:
        if keys.count(key) > 1:
            refuse("key '%s' stands twice in one object" % key)
    return dict(pairs)


def no_constant(name):
    refuse(name + " is no JSON")


def parse(path):
    with open(path, "rb") as file:
        raw = file.read()
    if not raw:
        refuse("there is no document")
    try:
        document = json.loads(raw.decode("utf-8"), parse_constant=no_constant,
                              object_pairs_hook=no_duplicates)
    except ValueError as error:  # also of what follows the document
        refuse("not JSON: %s" % error)
    if not isinstance(document, dict):
        refuse("not an object")
    return document


def make_validator(schema_path):
    """None where there is no schema, or no module to check it with."""
    if not os.path.exists(schema_path):
        return None
    try:
        import jsonschema
    except ImportError:
        return None
    with open(schema_path, "rb") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def validate(document, validator):
    errors = ["%s: %s" % (error.json_path, error.message[:300])
              for error in validator.iter_errors(document)]
    if errors:
        refuse("does not fit the schema:\n  " + "\n  ".join(errors[:5]))


def same(got, expected, what, tolerance=1e-9):
    if expected is None or got is None:
        if got is not expected:
            refuse("%s is %s, expected %s" % (what, got, expected))
    elif not math.isclose(got, expected, rel_tol=tolerance, abs_tol=1e-300):
        # what is a difference of nearly equal numbers has lost digits
        refuse("%s is %r, expected %r" % (what, got, expected))


def quantile(ordered, q):
    """Type 7 of Hyndman and Fan: linear interpolation."""
    at = q * (len(ordered) - 1)
    below = math.floor(at)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (at - below) * (ordered[above] - ordered[below])


def median(ordered):
    """The middle; between two, the middle in logs, or the arithmetic one when one is 0."""
    low, high = ordered[(len(ordered) - 1) // 2], ordered[len(ordered) // 2]
    return math.sqrt(low) * math.sqrt(high) if low > 0 and high > 0 else (low + high) / 2


def counts(trial):
    return not trial["warmup"] and trial["complete"]


def ratio_of(above, below):
    return None if above is None or not below else above / below


def per_pass(key):
    return lambda t: ratio_of(t[key], t["passes"])


METRICS = {
    "bytes_per_s": lambda t: ratio_of(t["bytes"] * 1e9, t["wall_ns"]) if t["bytes"] else None,
    "wall_ns_per_pass": per_pass("wall_ns"),
    "wall_ns_per_byte": lambda t: ratio_of(t["wall_ns"], t["bytes"]),
    "cpu_ns_per_pass": per_pass("cpu_ns"),
    "cpu_ns_per_byte": lambda t: ratio_of(t["cpu_ns"], t["bytes"]),
    "cpu_ratio": lambda t: ratio_of(t["cpu_ns"], t["wall_ns"]),
    "calls_per_pass": per_pass("calls"),
    "minor_faults_per_pass": per_pass("minor_faults"),
    "major_faults_per_pass": per_pass("major_faults"),
    "peak_rss_bytes": lambda t: t["peak_rss_bytes"],
    "peak_rss_anon_bytes": lambda t: t["peak_rss_anon_bytes"],
    "storage_read_bytes_per_pass": per_pass("storage_read_bytes"),
}


def check_summary(result):
    trials = [trial for trial in result["trials"] if counts(trial)]
    for metric, value in METRICS.items():
        values = sorted(v for v in map(value, trials) if v is not None)
        stat = result["summary"].get(metric)
        if stat is None and metric == "wall_ns_per_byte":
            continue  # it is what bytes_per_s says, turned round
        what = "%s: summary.%s." % (result["id"], metric)
        n = len(values)
        if stat["n"] != n:
            refuse("%sn is %s, expected %s" % (what, stat["n"], n))
        if n == 0:
            for key in stat:
                same(stat[key], 0 if key == "n" else None, what + key)
            continue
        mean = math.fsum(values) / n
        same(stat["median"], median(values), what + "median")
        same(stat["mean"], mean, what + "mean")
        same(stat["min"], values[0], what + "min")
        same(stat["max"], values[-1], what + "max")
        same(stat["p10"], quantile(values, 0.1), what + "p10")
        same(stat["p90"], quantile(values, 0.9), what + "p90")
        if n == 1:
            same(stat["stddev"], None, what + "stddev")
        else:
            stddev = statistics.stdev(values)
            # equal values: rounding is all there is
            if not abs(stat["stddev"] - stddev) <= 1e-9 * stddev + 1e-12 * abs(mean):
                refuse("%sstddev is %r, expected %r" % (what, stat["stddev"], stddev))


def check_rounds(document):
    """In each round that was finished, every case stands once."""
    cases = [r for r in document["results"] if r["status"] == "ok"]
    places = {}
    for result in cases:
        for trial in filter(counts, result["trials"]):
            places.setdefault(trial["round"], []).append((trial["position"], result["id"]))
    if document["interrupted"]:
        places.pop(max(places, default=0), None)
    for number, entries in places.items():
        ids = [entry[1] for entry in entries]
        positions = [entry[0] for entry in entries]
        if sorted(ids) != sorted(r["id"] for r in cases):
            refuse("round %d holds %s" % (number, ids))
        if len(set(positions)) != len(positions):
            refuse("round %d: two trials at one place: %s" % (number, sorted(entries)))
    if sorted(places) != list(range(1, len(places) + 1)):
        refuse("rounds are numbered %s" % sorted(places))


def lower_rank(n, alpha):
    """The largest k with P(Bin(n, 1/2) < k) <= alpha / 2."""
    tail, k = 0, 0
    while k < n:
        tail += math.comb(n, k)
        if tail / 2**n > alpha / 2 * (1 + 1e-12):
            break
        k += 1
    return k


def judge(low, high, delta):
    if low is None:
        return "inconclusive"
    if low > 1 + delta:
        return "slower"
    if high < 1 / (1 + delta):
        return "faster"
    return "same" if low >= 1 / (1 + delta) and high <= 1 + delta else "inconclusive"


def check_comparison(document, comparison, number_of_cases):
    def costs(identity):
        result = next(r for r in document["results"] if r["id"] == identity)
        cost = METRICS[comparison["metric"]]
        return {t["round"]: cost(t) for t in result["trials"] if counts(t)}

    what = "comparison of %s: " % comparison["id"]
    case, baseline = costs(comparison["id"]), costs(comparison["baseline"])
    logs = sorted(math.log(case[r] / baseline[r]) for r in case if r in baseline)
    n = len(logs)
    same(comparison["rounds"], n, what + "rounds")
    same(comparison["ratio"], math.exp(statistics.median(logs)), what + "ratio")

    named = document["options"]["baseline"] is not None
    pairs = number_of_cases - 1 if named else number_of_cases * (number_of_cases - 1) // 2
    same(comparison["confidence"], 1 - 0.05 / pairs, what + "confidence")
    k = lower_rank(n, 0.05 / pairs)
    low, high = (math.exp(logs[k - 1]), math.exp(logs[n - k])) if k > 0 else (None, None)
    if not comparison["drifts"]:
        same(comparison["ci_low"], low, what + "ci_low")
        same(comparison["ci_high"], high, what + "ci_high")
    delta = document["options"]["max_slowdown_ratio"] or 0.01
    verdict = judge(comparison["ci_low"], comparison["ci_high"], delta)
    if comparison["verdict"] != verdict:
        refuse("%sverdict is %s, expected %s" % (what, comparison["verdict"], verdict))


def check_figures(document):
    for result in document["results"]:
        check_summary(result)
    check_rounds(document)
    measured = [r for r in document["results"] if r["status"] == "ok"]
    for comparison in document["comparisons"]:
        check_comparison(document, comparison, len(measured))
    with_trials = [r for r in measured if any(map(counts, r["trials"]))]
    if len(with_trials) > 1 and len(document["comparisons"]) != len(measured) - 1:
        refuse("%d cases, %d comparisons" % (len(measured), len(document["comparisons"])))


def main():
    global subject
    what, schema_path, *paths = sys.argv[1:]
    validator = make_validator(schema_path)
    for path in paths:
        subject = os.path.basename(path)
        document = parse(path)
        subject += ": iobench " + " ".join(document.get("argv", []))
        if validator is not None:
            validate(document, validator)
        if what == "figures":
            check_figures(document)


main()
