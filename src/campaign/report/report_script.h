// SPDX-License-Identifier: Apache-2.0
// The scripts of the report. A page works without its script, which only shows controls that are
// hidden otherwise. The policy of a page allows the script with this hash and no other, so text
// that gets into a page cannot act. tests/cli/campaign.test checks the hashes.
#pragma once

#include <string_view>

namespace refract {
inline namespace campaign {

/// A script, and its hash as a policy has it.
struct PageScript {
  std::string_view text;
  std::string_view hash;  ///< "sha256-" and the SHA-256 of the text in base 64
};

/// Of the index: hides the entries of buckets that do not match the controls.
inline constexpr PageScript kFilterScript = {
    R"js(
(() => {
  const bar = document.getElementById('filter');
  if (!bar) return;
  const get = name => document.getElementById('filter-' + name);
  const text = get('text'), chosen = ['target', 'failure', 'state'].map(get), count = get('count');
  const rows = [...document.querySelectorAll('ol.buckets>li')];
  const texts = rows.map(row => row.textContent.toLowerCase());
  const groups = [...document.querySelectorAll('.group')];
  const show = () => {
    const words = text.value.toLowerCase().split(/\s+/).filter(word => word);
    const active = words.length > 0 || chosen.some(one => one.value);
    rows.forEach((row, i) => {
      const has = [row.dataset.on, row.dataset.failure, row.dataset.state];
      row.hidden = !chosen.every((one, k) => !one.value || has[k].split(' ').includes(one.value)) ||
        !words.every(word => texts[i].includes(word));
    });
    for (const group of groups) {
      const left = group.querySelector('ol.buckets>li:not([hidden])');
      group.hidden = active && !left;
      if (group.tagName !== 'DETAILS') continue;
      if (active && left && !group.open) group.open = group.opened = true;
      if (!active && group.opened) group.open = group.opened = false;
    }
    const left = rows.filter(row => !row.hidden).length;
    count.textContent = (active ? left + ' of ' : '') + rows.length + ' buckets';
    get('all').hidden = !active;
  };
  get('all').onclick = () => {
    text.value = '';
    for (const one of chosen) one.value = '';
    show();
    text.focus();
  };
  for (const one of [text, ...chosen]) one.oninput = show;
  addEventListener('pageshow', show);
  bar.hidden = false;
})();
)js",
    "sha256-Tqf6aISid+0Ej/oc92GpQu86VzI4BhEXuMYrUqYrPxc="};

/// Of the page of a bucket: moves the border between the expected and the actual image.
inline constexpr PageScript kCompareScript = {
    R"js(
(() => {
  const slider = document.getElementById('slider');
  if (!slider) return;
  slider.oninput = () => slider.parentElement.style.setProperty('--cut', slider.value + '%');
  addEventListener('pageshow', slider.oninput);
  slider.hidden = false;
})();
)js",
    "sha256-IIbcL/6PDeUCMllVzkn3JDwh5VwMZ5gzu9hox7XWW0w="};

}  // namespace campaign
}  // namespace refract
