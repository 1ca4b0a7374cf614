#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Opens the report of a campaign in Chromium and follows every bucket.

    report_in_browser.py --chromium FILE --refract FILE OUT

At widths of 390 and 1400 pixels it checks: no page is wider than the window (with folded parts open), every
link leads to a file, every image is shown, each bucket has the command that repeats it, and each page with
the images of both modules has their difference. It follows the links between buckets, uses the filter of the
index and moves the border between two images. It runs the first command that repeats a test. A console error,
such as a script that the policy of the page forbids, is a failure. Part of the soak, because `make test` does not need Chromium.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import urllib.parse

# Runs in a page next to the report, which it shows in a frame of the given width.
SCRIPT = """
const found = [];
const say = (page, width, what) => found.push({page, width, what});
// Searches for the text of the last entry, then for a text that no entry has.
function useFilter(view, wrong) {
  const text = view.getElementById('filter-text');
  if (!text) return;
  if (view.getElementById('filter').hidden) wrong('the filter is hidden');
  const rows = [...view.querySelectorAll('ol.buckets>li')];
  const search = value => { text.value = value; text.dispatchEvent(new Event('input')); };
  const left = () => rows.filter(row => row.checkVisibility()).length;
  const all = rows.length, last = rows[all - 1];
  if (left() !== all) wrong('an entry is hidden before the filter is used');
  search(last.firstElementChild.textContent.toUpperCase());
  if (!last.checkVisibility()) wrong('the filter hides the entry that it searches for');
  search('no entry has this text');
  if (left() !== 0) wrong('the filter shows entries that do not match');
  view.getElementById('filter-all').click();
  if (left() !== all) wrong('an entry is hidden after the filter is reset');
}
async function look(page, width) {
  const frame = document.createElement('iframe');
  frame.width = width; frame.height = 900; frame.src = BASE + page;
  document.body.append(frame);
  await new Promise(done => frame.onload = done);
  const view = frame.contentDocument;
  view.querySelectorAll('details').forEach(part => part.open = true);
  for (const picture of view.images) {
    picture.loading = 'eager';
    if (!picture.complete) await new Promise(done => { picture.onload = picture.onerror = done; });
  }
  if (view.documentElement.scrollWidth > frame.clientWidth) say(page, width, 'is too wide');
  for (const picture of view.images) if (!picture.naturalWidth) say(page, width, 'a picture is missing');
  if (page === 'index.html') useFilter(view, what => say(page, width, what));
  const slider = view.getElementById('slider');
  if (slider) {
    slider.value = 30;
    slider.dispatchEvent(new Event('input'));
    const clip = view.defaultView.getComputedStyle(view.querySelector('.actual')).clipPath;
    if (slider.hidden || !clip.includes('30%')) say(page, width, 'the border between the images does not move');
  }
  const links = [...view.querySelectorAll('a')].map(link => link.getAttribute('href'));
  const names = [...view.images].map(picture => picture.alt.split(':')[0]);
  const facts = {page, width, links, names, delta: !!view.getElementById('delta') || !!view.getElementById('graph'),
                 kept: !view.getElementById('unkept'),
                 command: (view.getElementById('command') || {}).textContent || '',
                 bytes: view.documentElement.outerHTML.length};
  frame.remove();
  return facts;
}
(async () => {
  const pages = [];
  for (const width of [390, 1400]) {
    const index = await look('index.html', width);
    pages.push(index);
    const names = new Set(index.links);  // grows: a set visits what is added to it, too
    for (const name of names) {
      const page = await look(name, width);
      pages.push(page);
      page.links.filter(link => link.startsWith('bucket-')).forEach(link => names.add(link));
    }
  }
  document.getElementById('result').textContent = JSON.stringify({pages, found});
})();
"""


def browse(chromium, out):
    report = os.path.join(os.path.abspath(out), "report")
    with tempfile.TemporaryDirectory() as folder:
        page = os.path.join(folder, "look.html")
        base = "file://" + urllib.parse.quote(report) + "/"
        with open(page, "w", encoding="utf-8") as file:
            file.write(f"<!DOCTYPE html><pre id=result></pre><script>const BASE = {json.dumps(base)};"
                       f"{SCRIPT}</script>")
        ran = subprocess.run(
            [chromium, "--headless=new", "--no-sandbox", "--disable-gpu", "--dump-dom",
             "--allow-file-access-from-files", "--enable-logging=stderr",
             "--virtual-time-budget=600000", f"--user-data-dir={folder}/profile", "file://" + page],
            capture_output=True, text=True, timeout=600, check=False)
    text = re.search(r'<pre id="result">(.*?)</pre>', ran.stdout, re.S)
    if not text or not text.group(1):
        sys.exit(f"{chromium}: no result: {ran.stderr[-2000:]}")
    console = [line for line in ran.stderr.splitlines() if "CONSOLE" in line]
    unescaped = text.group(1).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    return json.loads(unescaped), console


def wrong_with(page, out):
    """What is missing on one page."""
    wrong = []
    for link in page["links"]:
        path = os.path.normpath(os.path.join(out, "report", urllib.parse.unquote(link)))
        if not os.path.exists(path):
            wrong.append(f"the link {link} leads to no file")
    if page["page"] == "index.html":
        if page["bytes"] >= 1 << 20:
            wrong.append(f"has {page['bytes']} bytes")
        return wrong
    if not page["kept"]:
        return wrong
    if not page["command"]:
        wrong.append("no command repeats it")
    if not page["delta"]:
        wrong.append("neither a minimal difference nor the reason why there is none")
    if {"Original (expected)", "Variant (actual)"} <= set(page["names"]) and "Difference" not in page["names"]:
        wrong.append("two images without their difference")
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--chromium", default="chromium")
    parser.add_argument("--refract", required=True)
    parser.add_argument("--targets", action="append", default=[],
                        help="descriptions of command targets, for repeating; may be given several times")
    parser.add_argument("out")
    given = parser.parse_args()
    seen, console = browse(given.chromium, given.out)
    wrong = [f"{one['page']} at {one['width']}: {one['what']}" for one in seen["found"]] + console
    for page in seen["pages"]:
        wrong += [f"{page['page']} at {page['width']}: {what}"
                  for what in wrong_with(page, given.out)]
    commands = [page["command"] for page in seen["pages"]
                if page["command"].startswith("refract repeat ")]
    if commands:
        line = commands[0].replace("refract", f"'{os.path.abspath(given.refract)}'", 1)
        for file in given.targets:
            line += f" --target-file '{os.path.abspath(file)}'"
        ran = subprocess.run(line, shell=True, cwd=given.out, capture_output=True, text=True,
                             check=False)
        if ran.returncode != 0:
            wrong.append(f"{commands[0]}: exits with {ran.returncode}: {ran.stdout}{ran.stderr}")
    print(f"{len(seen['pages'])} pages checked, {len(commands)} with a command that repeats a test, "
          f"{len(wrong)} mistakes")
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
