"""Exports against the JSON of the same run, each by a reader that is not iobench's.

exports.py FORMAT EXPORT DOCUMENT: exits with what is wrong. FORMAT is bmf, smaller, bigger, gbench, dat
or prom, or the same with "compared-" in front, where DOCUMENT is that of iobench compare.
"""
import json
import math
import re
import sys

# The figures that the exports of other programs hold, and which way is better.
SMALLER = ("wall_ns_per_pass", "cpu_ns_per_pass", "cpu_ns_per_byte", "calls_per_pass", "peak_rss_bytes",
           "peak_rss_anon_bytes", "lost_ratio", "cpu_ns_per_event", "cpu_ns_per_request",
           "anon_bytes_per_connection")
BIGGER = ("bytes_per_s", "events_per_s", "requests_per_s")
PERCENTILES = ("p50_ns", "p90_ns", "p99_ns", "p999_ns")

# As https://bencher.dev/bmf.json has it, and closed.
NUMBER = {"type": "number"}
BMF = {
    "type": "object",
    "propertyNames": {"minLength": 1, "maxLength": 1024},
    "additionalProperties": {
        "type": "object",
        "minProperties": 1,
        "propertyNames": {"pattern": "^[a-z0-9]+(-[a-z0-9]+)*$", "maxLength": 64},
        "additionalProperties": {
            "type": "object",
            "properties": {"value": NUMBER, "lower_value": NUMBER, "upper_value": NUMBER},
            "required": ["value"],
            "dependentRequired": {"lower_value": ["upper_value"], "upper_value": ["lower_value"]},
            "additionalProperties": False,
        },
    },
}
GHA = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {
            "name": {"type": "string"}, "unit": {"type": "string", "minLength": 1}, "value": NUMBER,
            "range": {"type": "string", "pattern": "^± [0-9]+(\\.[0-9]+)?$"},
            "extra": {"type": "string"},
        },
        "required": ["name", "unit", "value"],
        "additionalProperties": False,
    },
}
TIMED = ["name", "run_name", "run_type", "iterations", "real_time", "cpu_time", "time_unit",
         "repetitions", "threads"]
GBENCH = {
    "type": "object",
    "properties": {
        "context": {"type": "object", "required": ["date", "executable", "caches", "load_avg"]},
        "benchmarks": {
            "type": "array",
            "items": {
                "type": "object",
                "required": TIMED,
                "properties": {
                    "iterations": {"type": "integer", "minimum": 1},
                    "real_time": {"type": "number", "minimum": 0},
                    "cpu_time": {"type": "number", "minimum": 0},
                    "time_unit": {"const": "ns"},
                    "run_type": {"enum": ["iteration", "aggregate"]},
                    "threads": {"type": "integer", "minimum": 1},
                },
                "if": {"properties": {"run_type": {"const": "aggregate"}}},
                "then": {"required": ["aggregate_name", "aggregate_unit"]},
                "else": {"required": ["repetition_index"]},
            },
        },
    },
    "required": ["context", "benchmarks"],
    "additionalProperties": False,
}


def no_constant(text):
    raise ValueError(f"{text} is no JSON")


def once(pairs):
    keys = [key for key, _ in pairs]
    assert len(set(keys)) == len(keys), f"a key stands twice: {keys}"
    return dict(pairs)


def load(path, schema=None):
    with open(path, encoding="utf-8") as stream:
        value = json.load(stream, parse_constant=no_constant, object_pairs_hook=once)
    if schema is not None:
        import jsonschema
        jsonschema.validate(value, schema, cls=jsonschema.Draft202012Validator)
    return value


def figures(result, keys):
    """(key, median, p10, p90 or None, n) of what was measured of a case."""
    if result["status"] != "ok":
        return
    for key in keys:
        stat = result["summary"][key]
        if stat["median"] is not None:
            yield key, stat["median"], stat["p10"], stat["p90"], stat["n"]
    if "wall_ns_per_pass" in keys:
        for key in PERCENTILES:
            value = (result["latency"] or {}).get(key)
            if value is not None:
                yield f"latency_{key}", value, None, None, 0


def same(got, expected, what):
    assert got == expected, f"{what}: {got} instead of {expected}"


def check_bmf(path, document):
    expected = {}
    for result in document["results"]:
        for key, value, low, high, _ in figures(result, SMALLER + BIGGER):
            measure = {"value": value}
            if low is not None:
                measure |= {"lower_value": low, "upper_value": high}
            expected.setdefault(result["id"], {})[key.replace("_", "-")] = measure
    same(load(path, BMF), expected, "measures")


def check_gha(path, document, keys):
    entries = load(path, GHA)
    names = [entry["name"] for entry in entries]
    same(len(set(names)), len(names), "names")
    expected = [(f"{r['id']}: {key}", value, low, high, n)
                for r in document["results"] for key, value, low, high, n in figures(r, keys)]
    same([(e["name"], e["value"]) for e in entries], [e[:2] for e in expected], "entries")
    for entry, (_, _, low, high, n) in zip(entries, expected):
        same("range" in entry, n > 1, entry)
        if n > 1:
            half = (high - low) / 2
            got = float(entry["range"][2:])
            assert math.isclose(got, half, rel_tol=1e-5, abs_tol=1e-12), (entry, half)
        assert "\n" in entry["extra"] and document["iobench_version"] in entry["extra"], entry


def check_gbench(path, document):
    entries = load(path, GBENCH)["benchmarks"]
    expected = []
    for index, result in enumerate(r for r in document["results"]):
        trials = [t for t in result["trials"]
                  if not t["warmup"] and t["complete"] and t["passes"] > 0] if result["status"] == "ok" else []
        for number, t in enumerate(trials):
            expected.append((result["id"], result["id"], index, number, t["passes"],
                             t["wall_ns"] / t["passes"], t["cpu_ns"] / t["passes"]))
        for name in ("mean", "median", "stddev") if len(trials) > 1 else ():
            wall, cpu = (result["summary"][key][name] for key in ("wall_ns_per_pass", "cpu_ns_per_pass"))
            expected.append((f"{result['id']}_{name}", result["id"], index, None, len(trials), wall, cpu))
    got = [(e["name"], e["run_name"], e["family_index"], e.get("repetition_index"), e["iterations"],
            e["real_time"], e["cpu_time"]) for e in entries]
    same(len(got), len(expected), "entries")
    for one, other in zip(got, expected):
        same(one[:5], other[:5], "entry")
        for a, b in zip(one[5:], other[5:]): # printed with 15 digits
            assert math.isclose(a, b, rel_tol=1e-14), (one, other)


def read_dat(path):
    """Blocks of (title, names, rows); a row is a list of numbers, texts, or None."""
    text = open(path, encoding="utf-8").read()
    assert not re.search(r"\b(nan|inf(inity)?)\b", re.sub(r'"[^"\n]*"', "", text), re.I)
    blocks = []
    for part in re.split(r"\n\n\n", text):
        lines = [line for line in part.strip("\n").split("\n") if not line.startswith("#")]
        assert all(lines), f"a blank line inside a block of {path}"
        if not lines:
            continue
        words = [re.findall(r'"[^"]*"|\S+', line) for line in lines]
        assert all(len(row) == len(words[0]) for row in words), f"columns of {path}"
        title, *names = words[0]
        assert title[0] == title[-1] == '"', title
        rows = [[None if word == "?" else word if word[0] == '"' else float(word) for word in row]
                for row in words[1:]]
        blocks.append((title[1:-1], names, rows))
    return blocks


def gnuplot_text(text):
    text = re.sub(r"[\x00-\x1f\x7f]", "?", text.replace("\\", "\\\\"))
    return text.replace('"', "'")


def check_dat(path, document):
    rows, blocks = [], read_dat(path)
    x = re.search(r"^# x: (\S+)", open(path, encoding="utf-8").read(), re.M).group(1)
    for title, names, block in blocks:
        for row in block:
            rows.append((title, row[0], dict(zip(names, row[1:]))))
    for result in document["results"]:
        if result["status"] != "ok":
            continue
        values = {}
        for key in SMALLER + BIGGER:
            stat = result["summary"][key]
            values |= {key: stat["median"], f"{key}_p10": stat["p10"], f"{key}_p90": stat["p90"]}
        values |= {f"latency_{key}": (result["latency"] or {}).get(key) for key in PERCENTILES}
        mode = gnuplot_text(result["mode"])
        found = [row for row in rows if (row[0] == mode or row[0].startswith(mode + " ")) and
                 row[1] == result["params"].get(x) and row[2] == values]
        assert found, f"{result['id']} is not in {path}"
        rows.remove(found[0])
    assert not rows, f"nobody measured {rows}"


def base_units(key):
    """Name and factor of a gauge."""
    if re.search("_ns(_|$)", key):
        return "iobench_" + re.sub("_ns(?=_|$)", "", key) + "_seconds", 1e-9
    if key == "bytes_per_s":
        return "iobench_throughput_bytes_per_second", 1
    return "iobench_" + re.sub("_per_s$", "_per_second", key), 1


def read_prom(path):
    from prometheus_client.openmetrics.parser import text_string_to_metric_families
    text = open(path, encoding="utf-8", newline="").read()
    samples = {}
    for family in text_string_to_metric_families(text):
        same(family.type, "gauge", family.name)
        assert family.documentation, family.name
        suffix = re.search("_(seconds|ratio|bytes|bytes_per_second)$", family.name)
        if suffix:
            assert family.name.endswith("_" + family.unit) and family.unit, family.name
        for sample in family.samples:
            assert math.isfinite(sample.value), sample
            key = (sample.name, *sorted(sample.labels.items()))
            assert key not in samples, key
            samples[key] = sample.value
    return samples


def check_prom(path, document):
    samples = read_prom(path)
    for result in document["results"]:
        labels = (("id", result["id"]), ("mode", result["mode"]))
        for key, value, *_ in figures(result, result["summary"].keys()):
            name, factor = base_units(key)
            got = samples.pop((name, *labels))
            assert math.isclose(got, value * factor, rel_tol=1e-14), (name, labels, got, value)
    assert not samples, f"nobody measured {samples}"


def ratios(document):
    """(id, metric) of all that was compared."""
    for result in document["results"]:
        for metric in result["metrics"]:
            if metric["ratio"] is not None:
                yield result["id"], metric


def check_compared_bmf(path, document):
    expected = {}
    for identity, m in ratios(document):
        measure = {"value": m["ratio"]}
        if m["ci_low"] is not None:
            measure |= {"lower_value": m["ci_low"], "upper_value": m["ci_high"]}
        name = m["metric"].replace("_", "-") + "-ratio"
        expected.setdefault(identity, {})[name] = measure
    same(load(path, BMF), expected, "measures")


def check_compared_smaller(path, document):
    entries = load(path, GHA)
    expected = [(f"{identity}: {m['metric']}_ratio", m["ratio"], m["ci_low"] is not None)
                for identity, m in ratios(document)]
    same([(e["name"], e["value"], "range" in e) for e in entries], expected, "entries")
    for entry, (_, m) in zip(entries, ratios(document)):
        assert (m["verdict"] or "not judged") in entry["extra"], entry


def check_compared_prom(path, document):
    samples = read_prom(path)
    for identity, m in ratios(document):
        labels = (("id", identity), ("metric", m["metric"]))
        for name, key in (("", "ratio"), ("low_", "ci_low"), ("high_", "ci_high")):
            got = samples.pop((f"iobench_compare_cost_{name}ratio", *labels), None)
            same(got, m[key], (labels, key))
    assert not samples, f"nobody compared {samples}"


def check_compared_dat(path, document):
    got = [(gnuplot_title, row[1:4], row[4]) for gnuplot_title, _, rows in read_dat(path) for row in rows]
    expected = [(m["metric"], [m["ratio"], m["ci_low"], m["ci_high"]], f'"{gnuplot_text(identity)}"')
                for identity, m in ratios(document)]
    key = lambda entry: (entry[0], entry[2])
    same(sorted(got, key=key), sorted(expected, key=key), "rows")


CHECKS = {
    "bmf": check_bmf, "gbench": check_gbench, "dat": check_dat, "prom": check_prom,
    "smaller": lambda path, document: check_gha(path, document, SMALLER),
    "bigger": lambda path, document: check_gha(path, document, BIGGER),
    "compared-bmf": check_compared_bmf, "compared-smaller": check_compared_smaller,
    "compared-prom": check_compared_prom, "compared-dat": check_compared_dat,
}

if __name__ == "__main__":
    CHECKS[sys.argv[1]](sys.argv[2], load(sys.argv[3]))
