"""Looks at pages of iobench-plot report in a headless Chromium.

    page.py CHROMIUM PAGE... [--pictures DIRECTORY]

At two widths, in both colour schemes: no message on the console, no request to anybody, no page
wider than its window, every figure to be seen, the tables sorted by a click, and no script of a
document's run. Speaks the DevTools protocol through a pipe, and needs nothing but Python.
"""
import base64
import json
import os
import pathlib
import select
import shutil
import subprocess
import sys
import tempfile
import time

WIDTHS = (400, 1600)
DEADLINE = 60  # seconds for a page: a hang must become a failure

LOOK = """(() => {
  const seen = element => { const box = element.getBoundingClientRect();
                            return [box.width, box.height]; };
  const overflowing = [...document.querySelectorAll("body *")].filter(e => !e.closest(".scroll") &&
    e.getBoundingClientRect().right > window.innerWidth + 1).map(e => e.tagName + "." + e.className);
  return { inner: window.innerWidth, page: document.documentElement.scrollWidth, overflowing,
    figures: [...document.querySelectorAll("figure")].map(f => ({ kind: f.dataset.kind,
      box: seen(f), svgs: [...f.querySelectorAll("svg")].map(seen).filter(b => b[0] > 0),
      texts: [...f.querySelectorAll("svg text")].map(t => [...seen(t), getComputedStyle(t).fill]),
      marks: f.querySelectorAll("svg path").length })),
    ids: (ids => ids.length - new Set(ids).size)([...document.querySelectorAll("[id]")].map(e => e.id)),
    font: parseFloat(getComputedStyle(document.body).fontSize),
    scripts: document.scripts.length, planted: window.planted === undefined,
    background: getComputedStyle(document.body).backgroundColor,
    downloads: [...document.querySelectorAll("a.raw")].map(a => [a.download, a.href.length]) };
})()"""
SORT = """(() => [...document.querySelectorAll("table.sortable")].map(table =>
  [...table.tHead.rows[0].cells].map((head, column) => {
    const sorted = [];
    for (const way of ["ascending", "descending"]) {
      head.querySelector("button").click();
      sorted.push({ way: head.getAttribute("aria-sort"), kind: head.dataset.kind,
        title: head.textContent,
        values: [...table.tBodies[0].rows].map(row => row.cells[column].dataset.value) });
    }
    return sorted;
  })))()"""
DOWNLOAD = """(async () => Promise.all([...document.querySelectorAll("a.raw")].map(a => {
  const [head, body] = a.href.split(",", 2);
  return head === "data:application/json;base64" && Object.keys(JSON.parse(atob(body))).length; })))()"""


class Browser:
    """A Chromium of our own, on two pipes."""

    def __init__(self, program, home):
        to_read, to_write = os.pipe()
        from_read, from_write = os.pipe()

        def hand_over():  # the browser reads descriptor 3 and writes 4
            spare = [os.dup2(end, fd) for end, fd in ((to_read, 103), (from_write, 104))]
            os.dup2(spare[0], 3), os.dup2(spare[1], 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
             "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking",
             "--disable-component-update", "--disable-sync", "--hide-scrollbars",
             "--user-data-dir=" + home, "about:blank"],
            preexec_fn=hand_over, close_fds=False, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=os.environ | {"HOME": home})
        os.close(to_read), os.close(from_write)
        self.write_end, self.read_end = to_write, from_read
        self.buffer, self.events, self.number = b"", [], 0
        self.end = time.monotonic() + DEADLINE

    def receive(self):
        while b"\0" not in self.buffer:
            left = self.end - time.monotonic()
            if left <= 0 or not select.select([self.read_end], [], [], left)[0]:
                sys.exit("the browser does not answer")
            more = os.read(self.read_end, 1 << 16)
            if not more:
                sys.exit("the browser is gone")
            self.buffer += more
        message, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(message)

    def call(self, method, session=None, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.write_end, data):]
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    sys.exit("%s: %s" % (method, answer["error"]))
                return answer["result"]
            self.events.append(answer)

    def wait_for(self, method):
        while not any(event.get("method") == method for event in self.events):
            self.events.append(self.receive())

    def evaluate(self, session, expression):
        result = self.call("Runtime.evaluate", session, expression=expression, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in result:
            sys.exit("exception: %s" % result["exceptionDetails"])
        return result["result"]["value"]

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def check_sorting(tables):
    wrong = []
    for columns in tables:
        for up, down in columns:
            for sorted_ in (up, down):
                values = [v for v in sorted_["values"] if v != ""]
                if sorted_["values"] != values + [""] * (len(sorted_["values"]) - len(values)):
                    wrong.append("%s: what is missing is not last" % up["title"])
                if sorted_["kind"] == "number":
                    numbers = [float(v) for v in values]
                    if numbers != sorted(numbers, reverse=sorted_["way"] == "descending"):
                        wrong.append("%s: not sorted: %s" % (up["title"], numbers))
            if (up["way"], down["way"]) != ("ascending", "descending"):
                wrong.append("%s: sorted %s, then %s" % (up["title"], up["way"], down["way"]))
            if sorted(up["values"]) != sorted(down["values"]):
                wrong.append("%s: sorting lost a row" % up["title"])
    return wrong


def check_page(browser, path, width, scheme, pictures):
    """What is wrong with a page; the kinds of its figures."""
    browser.events.clear()
    browser.end = time.monotonic() + DEADLINE
    target = browser.call("Target.createTarget", url="about:blank")["targetId"]
    session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
    for domain in ("Page", "Runtime", "Log", "Network"):
        browser.call(domain + ".enable", session)
    browser.call("Emulation.setDeviceMetricsOverride", session, width=width, height=900,
                 deviceScaleFactor=1, mobile=False)
    browser.call("Emulation.setEmulatedMedia", session,
                 features=[{"name": "prefers-color-scheme", "value": scheme}])
    url = pathlib.Path(path).absolute().as_uri()
    browser.call("Page.navigate", session, url=url)
    browser.wait_for("Page.loadEventFired")
    looked = browser.evaluate(session, LOOK)
    wrong = check_sorting(browser.evaluate(session, SORT))
    if pictures:
        size = browser.call("Page.getLayoutMetrics", session)["cssContentSize"]
        shot = browser.call("Page.captureScreenshot", session, captureBeyondViewport=True,
                            clip={"x": 0, "y": 0, "width": width, "height": size["height"], "scale": 1})
        name = "%s-%d-%s.png" % (pathlib.Path(path).stem, width, scheme)
        (pathlib.Path(pictures) / name).write_bytes(base64.b64decode(shot["data"]))
    if not all(keys and keys > 10 for keys in browser.evaluate(session, DOWNLOAD)):
        wrong.append("a document that cannot be downloaded")
    for event in browser.events:
        method, params = event.get("method"), event.get("params", {})
        if method in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"):
            wrong.append("console: %s" % json.dumps(params)[:300])
        if method == "Network.requestWillBeSent" and params["request"]["url"] != url and not (
                params["request"]["url"].startswith("data:")):
            wrong.append("request: %s" % params["request"]["url"][:200])
    browser.call("Target.closeTarget", targetId=target)

    if looked["inner"] != width or looked["page"] > width or looked["overflowing"]:
        wrong.append("a page of %s in a window of %s: %s" % (
            looked["page"], looked["inner"], looked["overflowing"][:5]))
    if looked["scripts"] != 1 or not looked["planted"]:
        wrong.append("%d scripts" % looked["scripts"])
    if looked["ids"]:
        wrong.append("%d ids stand twice" % looked["ids"])
    if looked["font"] < 14:
        wrong.append("a font of %s" % looked["font"])
    dark = sum(map(int, looked["background"].strip("rgba()").split(",")[:3])) < 384
    if dark != (scheme == "dark"):
        wrong.append("%s on %s" % (scheme, looked["background"]))
    if not looked["downloads"]:
        wrong.append("no document to download")
    for figure in looked["figures"]:
        texts = [text for text in figure["texts"] if text[0] > 0]
        if (len(figure["svgs"]) != 1 or min(figure["svgs"][0] + figure["box"]) < 100
                or figure["marks"] < 5 or not texts):
            wrong.append("figure %s: %s" % (figure["kind"], figure))
        elif min(text[1] for text in texts) < 10:
            wrong.append("figure %s: letters of %s" % (figure["kind"], min(t[1] for t in texts)))
        elif width == WIDTHS[0] and figure["svgs"][0][0] > figure["box"][0]:
            wrong.append("figure %s: wider than its frame" % figure["kind"])
        inks = {sum(map(int, text[2].strip("rgba()").split(",")[:3])) < 384 for text in texts}
        if dark in inks:
            wrong.append("figure %s: text cannot be told from the ground" % figure["kind"])
    return wrong, [figure["kind"] for figure in looked["figures"]]


def main():
    program, *paths = sys.argv[1:]
    pictures = None
    if "--pictures" in paths:
        at = paths.index("--pictures")
        pictures = paths[at + 1]
        del paths[at:at + 2]
    home = tempfile.mkdtemp(prefix="iobench-page.")
    browser, failed = Browser(program, home), False
    try:
        for path in paths:
            for width, scheme in zip(WIDTHS, ("light", "dark")) if not pictures else (
                    (w, s) for w in WIDTHS for s in ("light", "dark")):
                wrong, kinds = check_page(browser, path, width, scheme, pictures)
                print("%s %d %s: %s" % (os.path.basename(path), width, scheme, " ".join(kinds)))
                for line in wrong:
                    failed = True
                    print("  " + line)
    finally:
        browser.stop()
        shutil.rmtree(home, ignore_errors=True)
    sys.exit(failed)


main()
