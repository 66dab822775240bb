"""Looks into the pictures of iobench-plot: what is drawn, not which pixels.

    plot.py PROGRAM DIRECTORY <PLAN

The program is loaded as a module; the figures' axes, bars, lines and labels are compared with the
documents. A line of PLAN is CHECK FILE...; what is wrong goes to DIRECTORY/CHECK, which is empty when
nothing is: one process for all, because a Python with matplotlib takes a second to start.
"""
import contextlib
import copy
import importlib.machinery
import importlib.util
import io
import json
import math
import os
import random
import re
import sys
import traceback
import xml.etree.ElementTree as ElementTree

program, directory = sys.argv[1:]
loader = importlib.machinery.SourceFileLoader("iobench_plot", program)
plot = importlib.util.module_from_spec(importlib.util.spec_from_loader("iobench_plot", loader))
sys.modules["iobench_plot"] = plot
sys.dont_write_bytecode = True
loader.exec_module(plot)


def view_of(*files, **choices):
    return plot.View(plot.name_runs([plot.load(path) for path in files], None), plot.Choices(**choices))


def document(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def counted(result):
    return [t for t in result["trials"] if not t["warmup"] and t["complete"]]


def equal(got, expected, what):
    if got != expected:
        sys.exit("%s: %s, expected %s" % (what, got, expected))


def near(got, expected, what, tolerance=1e-9):
    if not math.isclose(got, expected, rel_tol=tolerance):
        sys.exit("%s: %r, expected %r" % (what, got, expected))


def words(axes):
    return [text.get_text() for text in axes.texts]


def bars_show_medians_and_trials(path):
    results = document(path)["results"]
    axes, = plot.draw_bars(view_of(path)).axes
    ok = [r for r in results if r["status"] == "ok"]
    widths = [patch.get_width() for patch in axes.patches]
    equal(len(widths), len(ok), "bars")
    for width, result in zip(widths, ok):
        near(width, result["summary"]["bytes_per_s"]["median"], "bar of " + result["id"])
    clouds = [line for line in axes.lines if line.get_linestyle() == "None"]
    for line, result in zip(clouds, ok):
        expected = [t["bytes"] * 1e9 / t["wall_ns"] for t in counted(result)]
        equal(len(line.get_xdata()), len(expected), "points")
        for got, value in zip(line.get_xdata(), expected):
            near(got, value, "point of " + result["id"])
    equal(axes.get_xlim()[0], 0, "the axis begins at")
    equal(len(axes.get_yticklabels()), len(results), "labels")
    zoomed, = plot.draw_bars(view_of(path, zoom=True)).axes
    if not zoomed.get_xlim()[0] > 0:
        sys.exit("--zoom begins at 0")


def what_is_missing_is_no_zero(path):
    """FILE holds a skipped and a failed case."""
    results = document(path)["results"]
    axes, = plot.draw_bars(view_of(path)).axes
    lost = [r for r in results if r["status"] != "ok"]
    equal(len(axes.patches), len(results) - len(lost), "bars")
    for result in lost:
        if not any(text.startswith(result["status"] + ": " + result["reason"][:12]) for text in words(axes)):
            sys.exit("no word about %s: %s" % (result["id"], words(axes)))
    # a hole in a sweep, and a round that one case has not
    whole = document(path)
    kept = [r for r in whole["results"] if r["status"] == "ok"]
    base, whole["results"] = kept[0], []
    for size in (512, 4096, 65536):
        r = copy.deepcopy(base)
        r["id"], r["params"]["block_size"] = "read/sysread/block_size=%d" % size, size
        whole["results"].append(r)
    middle = whole["results"][1]
    middle.update(status="failed", reason="died", trials=[])
    middle["summary"] = {k: dict.fromkeys(v, None) | {"n": 0} for k, v in middle["summary"].items()}
    last = whole["results"][2]["trials"]
    last[:] = [t for t in last if t["round"] != 3]
    run = plot.replace(plot.read_run(plot.Node(whole), path, b""), name="made")
    view = plot.View([run], plot.Choices())
    line = next(l for l in plot.draw_sweep(view).axes[0].lines if len(l.get_xdata()) == 3)
    equal([math.isnan(y) for y in line.get_ydata()], [False, True, False], "values that are missing")
    figure = plot.draw_rounds(view)
    points = figure.axes[-1].lines[0]
    equal([x for x, y in zip(points.get_xdata(), points.get_ydata()) if math.isnan(y)], [3], "rounds missing")
    if any(y == 0 for axes in figure.axes for line in axes.lines for y in line.get_ydata()):
        sys.exit("a 0 was drawn")
    if not any("died" in text.get_text() for text in figure.texts):
        sys.exit("no word about the case that died")


def a_sweep_stands_on_powers_of_two(path):
    results = document(path)["results"]
    figure = plot.draw_sweep(view_of(path))
    axes, = figure.axes
    sizes = sorted({r["params"]["block_size"] for r in results if "block_size" in r["params"]})
    equal([tick for tick in axes.get_xticks()], [math.log2(size) for size in sizes], "ticks")
    equal([t.get_text() for t in axes.get_xticklabels()],
          [plot.param_value("block_size", size) for size in sizes], "labels")
    lines = [line for line in axes.lines if len(line.get_xdata()) == len(sizes)]
    for mode, line in zip(plot.unique(r["mode"] for r in results if "block_size" in r["params"]), lines):
        for size, x, y in zip(sizes, line.get_xdata(), line.get_ydata()):
            stat = next(r for r in results if r["mode"] == mode and r["params"]["block_size"] == size)
            near(y, stat["summary"]["bytes_per_s"]["median"], "%s at %d" % (mode, size))
            if abs(x - math.log2(size)) > 0.1:
                sys.exit("%d stands at %s" % (size, x))
    spans = [segment for c in axes.collections if hasattr(c, "get_segments") for segment in c.get_segments()]
    ends = sorted(round(y) for segment in spans for _, y in segment)
    expected = sorted(round(r["summary"]["bytes_per_s"][k]) for r in results for k in ("p10", "p90")
                      if "block_size" in r["params"])
    equal(ends, expected, "ends of intervals")
    equal(len(figure.legends[0].get_texts()), len(plot.unique(r["mode"] for r in results)), "legend")
    equal(len({(l.get_color(), l.get_marker()) for l in lines}), len(lines), "looks")
    equal(len({l.get_marker() for l in lines}), len(lines), "markers")
    equal(axes.get_ylim()[0], 0, "the axis begins at")


def a_forest_shows_ratios_and_what_counts_as_the_same(path):
    d = document(path)
    axes, = plot.draw_forest(view_of(path)).axes
    delta = d["options"]["max_slowdown_ratio"] or 0.01
    band = axes.patches[0].get_extents().transformed(axes.transData.inverted())
    near(2**band.x0, 1 / (1 + delta), "band", 1e-6)
    near(2**band.x1, 1 + delta, "band", 1e-6)
    dots = [l for l in axes.lines if len(l.get_xdata()) == 1]
    spans = [l for l in axes.lines if l.get_marker() == "|"]
    for comparison, dot in zip(d["comparisons"], dots):
        near(2**dot.get_xdata()[0], comparison["ratio"], comparison["id"])
    with_ci = [c for c in d["comparisons"] if c["ci_low"] is not None]
    equal(len(spans), len(with_ci), "intervals")
    for comparison, span in zip(with_ci, spans):
        near(2**span.get_xdata()[0], comparison["ci_low"], comparison["id"])
        near(2**span.get_xdata()[1], comparison["ci_high"], comparison["id"])


def a_latency_curve_goes_through_the_percentiles(path):
    for entry in view_of(path).entries:
        result = next(r for r in document(path)["results"] if r["id"] == entry.case.id)
        if result["latency"] is None:
            continue
        xs, ys = plot.latency_curve(entry.case.latencies[0])
        for key, q in (("p50_ns", 0.5), ("p90_ns", 0.9), ("p99_ns", 0.99), ("p999_ns", 0.999)):
            if result["latency"][key] is not None:
                rank = math.ceil(q * result["latency"]["calls"])
                seen = next(y for end, y in zip(xs[1::2], ys[1::2])
                            if result["latency"]["calls"] * (1 - 1 / end) >= rank - 0.5)
                equal(seen, result["latency"][key], entry.label + " " + key)
        equal(ys[-1], result["latency"]["max_ns"], entry.label + " max_ns")
        equal(plot.nines(1000), "99.9 %", "a percentile")
    axes, = plot.draw_latency(view_of(path)).axes
    equal(axes.get_xscale(), "log", "the axis of nines")


def an_echo_has_a_curve_for_either_basis(path):
    """Requests: buckets of [low, high, count], from the intended start and from the send."""
    d = document(path)

    def histogram(basis, factor):
        return {"unit": "ns", "basis": basis, "count": 1000, "overflow": 0, "mean_ns": 1, "stddev_ns": 1,
                "within_stddev_ratio": 0.7, "p50_ns": 100, "p75_ns": 100, "p90_ns": 100, "p99_ns": 200,
                "p99_9_ns": None, "p99_99_ns": None, "max_ns": 290 * factor,
                "buckets": [[90 * factor, 99 * factor, 900], [200 * factor, 299 * factor, 100]]}

    for result in d["results"]:
        result["latency"], result["service_latency"] = histogram("intended", 10), histogram("sent", 1)
    d["results"][1]["service_latency"] = None
    run = plot.replace(plot.read_run(plot.Node(d), path, b""), name="made")
    case = run.cases[0]
    equal([l.basis for l in case.latencies], ["from the intended start", "from the send"], "curves")
    equal(plot.latency_curve(case.latencies[0])[1], [990, 990, 2900, 2900], "values")
    figure = plot.draw_latency(plot.View([run], plot.Choices()))
    equal(len(figure.legends[0].get_texts()), 2 * len(run.cases) - 1, "legend")


def processor_time_stands_beside(path):
    d = document(path)
    ok = [r for r in d["results"] if r["status"] == "ok"]
    left, right = plot.draw_cpu(view_of(path)).axes
    bars = [p.get_width() for p in right.patches if p.get_hatch() is None]
    for width, result in zip(bars, ok):
        near(width, result["summary"]["cpu_ns_per_byte"]["median"], result["id"])
    hatched = [p.get_width() for p in right.patches if p.get_hatch()]
    expected = [r["summary"]["peer_cpu_ns_per_byte"]["median"] for r in ok
                if r["summary"]["peer_cpu_ns_per_byte"]["n"]]
    equal(len(hatched), len(expected), "bars of the other end")
    for width, value in zip(hatched, expected):
        near(width, value, "the other end")
    equal(right.get_xlabel(), "CPU time (s/GiB)", "unit")


def intervals_are_steps(path):
    d = document(path)
    axes, = plot.draw_intervals(view_of(path)).axes
    steps = [l for l in axes.lines if l.get_linestyle() == "-"]
    equal(len(steps), len(d["results"]), "lines")
    for line, result in zip(steps, d["results"]):
        rates = [i["messages"] * 1e9 / i["wall_ns"] for i in result["intervals"]]
        drawn = [y for y in line.get_ydata() if not math.isnan(y)]
        for got, value in zip(drawn[::2], rates):
            near(got, value, result["id"])
        equal(len(drawn), 2 * len(rates), "steps")
        near(max(line.get_xdata()), (result["intervals"][-1]["start_ns"]
                                     + result["intervals"][-1]["wall_ns"]) / 1e9, "the end")


def a_map_says_what_the_report_says(path, report):
    """REPORT is the text of the same run."""
    with open(report, encoding="utf-8") as file:
        lines = file.read().splitlines()
    start = next(i for i, line in enumerate(lines) if "fastest with" in line)
    text = {}
    columns = [int(n) for n in re.findall(r"(\d+) % active", lines[start])]
    for line in lines[start + 1:]:
        row = re.match(r" *([\d,]+) handles +(.*)", line)
        if not row:
            break
        cells = re.split(r" {2,}", row.group(2).strip())
        for column, cell in zip(columns, cells):
            text[column, int(row.group(1).replace(",", ""))] = sorted(cell.split(" = "))
    view = view_of(path)
    equal(plot.cross_keys(view), ("active", "handles"), "axes")
    axes, = plot.draw_crossover(view).axes
    xs = [t.get_text() for t in axes.get_xticklabels()]
    ys = [t.get_text() for t in axes.get_yticklabels()]
    drawn = {}
    for t in axes.texts:
        x, y = t.get_position()
        drawn.setdefault((int(xs[round(x)]), int(ys[round(y)].replace(",", ""))), []).append(t.get_text())
    for at, names in text.items():
        shown = drawn[at]
        others = shown[2][2:].split(", ") if shown[2] else []
        equal(sorted([shown[0]] + others), names, "fastest at %s" % (at,))
    equal(len(drawn), len(text), "cells")


def several_files_lie_over_each_other(one, other):
    view = view_of(one, other)
    figure = plot.draw_bars(view)
    equal([t.get_text() for t in figure.legends[0].get_texts()], [run.name for run in view.runs], "legend")
    ok = sum(len([r for r in document(p)["results"] if r["status"] == "ok"]) for p in (one, other))
    equal(len(figure.axes[0].patches), ok, "bars")
    captions = [t.get_text() for t in figure.texts if "iobench" in t.get_text()]
    equal(len(captions), 2, "captions")
    for kind in ("forest", "rounds", "cpu"):
        plot.KINDS[kind].draw(view)


def ranks_and_ratios_are_those_of_iobench():
    # the known answers of the rank interval
    for n, k in ((5, 0), (6, 1), (12, 3), (20, 6), (52, 19), (100, 40)):
        equal(plot.lower_rank(n, 0.05), k, "rank of %d" % n)
    equal(plot.lower_rank(52, 0.01), 17, "rank of 52 at 99 %")
    equal(plot.lower_rank(10000, 0.05), 4902, "rank of 10000")
    logs = [math.log(r) for r in (1.05, 1.04, 1.06, 1.05, 1.07, 1.04, 1.05, 1.06)]
    equal(plot.surely_slower(logs, 0.05, 0.03), True, "slower by 3 %")
    equal(plot.surely_slower(logs, 0.05, 0.05), False, "slower by 5 %")
    equal(plot.drifts([0.0] * 20 + [1.0] * 20), True, "a ratio that jumps")
    equal(plot.drifts([0.0, 1.0] * 20), False, "one that does not")
    for value, shown in ((0, "0"), (12.345, "12.3"), (1234, "1,234"), (0.00123, "0.00123"), (999.6, "1,000")):
        equal(plot.digits(value), shown, "digits")
    equal(plot.pick(plot.BINARY, 65536).show(65536), "64 KiB", "a size")
    for low in (0, 1, 2047, 2048, 4096, 5000 - 5000 % 4, 1 << 20):
        end = plot.bucket_end(low)
        width = 1 if low < 2048 else 1 << (low.bit_length() - 11)
        equal(end, low + width - 1, "end of the bucket at %d" % low)


def main_status(*arguments):
    """Exit status and standard error of the program in this process."""
    err, out = io.StringIO(), io.StringIO()
    with contextlib.redirect_stderr(err), contextlib.redirect_stdout(out):
        status = plot.main(list(arguments))
    return status, err.getvalue()


def every_kind_is_drawn_in_every_format(*pairs):
    """Each is KIND=FILE."""
    equal(sorted(pair.split("=")[0] for pair in pairs), sorted(plot.KINDS), "kinds")
    for kind, path in (pair.split("=") for pair in pairs):
        outputs = ["%s.%s" % (kind, form) for form in plot.FORMATS]
        equal(main_status(kind, path, *("-o" + name for name in outputs)), (0, ""), kind)
        for name, begin in zip(outputs, (b"<?xml", b"\x89PNG\r\n\x1a\n", b"%PDF-")):
            with open(name, "rb") as file:
                content = file.read()
            equal(content[:len(begin)], begin, name)
            if name.endswith(".svg"):
                ElementTree.fromstring(content)


def kinds_refuse_documents_that_lack_the_figures(path):
    """FILE has one case and one round."""
    for kind in ("sweep", "forest", "rounds", "latency", "intervals", "crossover"):
        status, said = main_status(kind, path, "-o", "none.svg")
        if status != 3 or said.count("\n") != 1 or os.path.exists("none.svg"):
            sys.exit("%s: %s, %s" % (kind, status, said))


def places(value, at=()):
    yield at
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from places(inner, at + (key,))


def spoil(whole, rng):
    """Changes a document at one place, or at several."""
    d = copy.deepcopy(whole)
    for _ in range(rng.choice((1, 1, 1, 3))):
        at = rng.choice([p for p in places(d) if p])
        holder = d
        for key in at[:-1]:
            holder = holder[key]
        value = rng.choice((None, 0, -1, 1, 1e300, 2**63, 10**400, 0.5, "", "$\\frac{", "x" * 5000,
                            "\ud800\x00", [], {}, [[]], {"a": [1]}, True, False, "DELETE"))
        if value == "DELETE":
            del holder[at[-1]]
        else:
            holder[at[-1]] = value
    return d


def spoilt_documents_are_drawn_or_refused(*files):
    rng, outcomes = random.Random(7), {0: 0, 3: 0}
    for path in files:
        whole = document(path)
        for result in whole["results"]:
            result["trials"] = result["trials"][:4]  # so that something else is hit as well
        for i in range(20):
            with open("spoilt.json", "w", encoding="utf-8") as file:
                json.dump(spoil(whole, rng), file)
            kind = rng.choice(list(plot.KINDS)) if i % 10 else "report"
            output = "x.html" if kind == "report" else "x.svg"
            try:
                plot.load("spoilt.json")
            except plot.Refusal:
                kind, output = "auto", "x.svg"
            status, said = main_status(kind, "spoilt.json", "-o", output)
            if status not in outcomes or "cannot draw this" in said or said.count("\n") != (status == 3):
                sys.exit("status %s: %s %s" % (status, kind, said))
            outcomes[status] += 1
            if (status == 0) != os.path.exists(output):
                sys.exit("status %d, and a picture: %s" % (status, os.path.exists(output)))
            if status == 0:
                os.unlink(output)
    if min(outcomes.values()) < 5:
        sys.exit("too one-sided: %s" % outcomes)


def run_check(check, files):
    """What is wrong, or nothing."""
    draws = check not in ("spoilt_documents_are_drawn_or_refused", "every_kind_is_drawn_in_every_format",
                          "kinds_refuse_documents_that_lack_the_figures")
    try:
        with plot.drawing() if draws else contextlib.nullcontext():
            globals()[check](*files)
    except SystemExit as wrong:
        return str(wrong)
    except Exception:
        return traceback.format_exc()
    return ""


for words_ in map(str.split, sys.stdin):
    said = run_check(words_[0], words_[1:])
    with open(os.path.join(directory, words_[0]), "w", encoding="utf-8") as file:
        file.write(said)
