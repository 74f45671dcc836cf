// What to expect of a new place: each site's value, the mean site and a new one, as a forest.

import {howToRead, html, onPaper, remark, select, table} from '../elements.js';
import {readInterval} from '../estimates.js';
import {intervalBar} from '../interval_bar.js';
import {payload} from '../payload.js';
import {countText, intervalText, number, numberText, pValueText} from '../text.js';
import {reachOf} from './subgroups.js';

/** @import {Section, ShortEstimatePart, SiteEntryPart, SitesPart} from '../types' */

const HOW_SITES =
  'Each bar is the interval of one site. The mean site is where sites like these lie on average; a new site lies ' +
  'anywhere within its wider bar, in 95 of 100 such studies. A few sites say little about others.';

/**
 * @param {string} name @param {string} cases @param {ShortEstimatePart} part
 * @param {number} baseline @param {number[]} range
 */
function siteRow(name, cases, part, baseline, range) {
  const found = readInterval(part);
  const interval = intervalText(found.low, found.high);
  const label = `${name}: ${numberText(found.value)} ${interval}`;
  const bar = part.undefined
    ? html('span', {class: 'muted'}, part.undefined)
    : intervalBar({...found, baseline}, {range, label});
  return [
    name,
    cases,
    html('td', {class: 'num big', 'data-site': name, 'data-value': found.value}, numberText(found.value)),
    interval,
    html('td', {class: 'barcell'}, bar),
  ];
}

/** @param {SitesPart} found @param {SiteEntryPart} entry */
function forest({sites}, entry) {
  const baseline = number(entry.mean.value);
  const range = reachOf([...entry.estimates, entry.mean, entry.new_site].map(readInterval));
  const rows = sites.map(({name, n}, place) =>
    siteRow(name, countText(number(n)), entry.estimates[place], baseline, range),
  );
  rows.push(siteRow('mean site', '', entry.mean, baseline, range));
  rows.push(siteRow('new site', '', entry.new_site, baseline, range));
  const heads = ['Site', 'Cases', 'Value', 'Interval', 'The mean site is the upright line'];
  return table(`${entry.label} by site`, heads, rows, {class: 'headline forest'});
}

/** @param {SiteEntryPart} entry */
function spreadWords({spread, p_value, test}) {
  const [low, high] = [spread.low, spread.high].map(each => numberText(number(each)));
  const lie = Number.isNaN(number(spread.low)) ? '' : `95% of such sites lie between ${low} and ${high}. `;
  return `${lie}No difference between sites but chance: ${pValueText(number(p_value))} (${test}).`;
}

/** @type {Section} */
export const sitesSection = {
  id: 'sites',
  title: 'What to expect of a new place',
  short: 'Places',
  when: () => 'sites' in payload,
  build: root => {
    const found = /** @type {SitesPart} */ (payload.sites);
    const place = html('div', null);
    const show = (/** @type {string} */ chosen) => {
      const entry = found.entries[Number(chosen)];
      const lead = html('p', {class: 'lead'}, entry.sentence);
      place.replaceChildren(lead, forest(found, entry), remark(spreadWords(entry)));
    };
    const options = found.entries.map((each, k) => /** @type {[string, string]} */ ([String(k), each.label]));
    show('0');
    root.append(howToRead(HOW_SITES));
    if (found.left_out) root.append(remark(`${found.left_out} smaller sites are not on this page.`));
    if (options.length > 1) root.append(select('Metric', options, '0', show));
    root.append(place, onPaper(found.sites.length + 2, 'rows') || '');
  },
};
