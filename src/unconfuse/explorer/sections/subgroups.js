// Does it work alike for everyone: each subgroup's metrics, and how they differ from the reference.

import {CLASSES} from '../classes.js';
import {howToRead, html, onPaper, remark, rowHead, select, table} from '../elements.js';
import {readInterval} from '../estimates.js';
import {intervalBar} from '../interval_bar.js';
import {MODELS} from '../models.js';
import {METRICS, payload} from '../payload.js';
import {countText, intervalText, levelText, number, numberText, pValueText, verdictClass} from '../text.js';

/** @import {Child, GapPart, Interval, Section, SubgroupPart, SubgroupsPart} from '../types' */

/** @param {string} name */
const labelOf = name => (CLASSES ? CLASSES.declared : METRICS)[name].label;

/** Of several classes none is the positive one. @template T @param {T} what @returns {T[]} */
const ofTwo = what => (CLASSES ? [] : [what]);

/** Everyone together. */
const everyone = () =>
  CLASSES ? {n: CLASSES.n, positives: null, estimates: CLASSES.summaries, level: CLASSES.level} : MODELS[0];

/** @param {Interval} found */
const endsOf = ({value, low, high}) => [value, low, high];

/** The picture's ends: no wider than the bars need. @param {Interval[]} found */
export function reachOf(found) {
  const ends = found.flatMap(endsOf).filter(Number.isFinite);
  const low = Math.min(...ends);
  return ends.length ? [low, Math.max(...ends, low + 1e-9)] : [0, 1];
}

/** @param {string} reason */
const noBar = reason => html('span', {class: 'muted'}, reason);

/** @param {SubgroupPart} group @param {string} metric @param {number} baseline @param {number[]} range */
function groupRow({name, n, positives, estimates}, metric, baseline, range) {
  const part = estimates[metric];
  const found = readInterval(part);
  const interval = intervalText(found.low, found.high);
  const label = `${name}: ${labelOf(metric)} ${numberText(found.value)} ${interval}`;
  const bar = part.undefined ? noBar(part.undefined) : intervalBar({...found, baseline}, {range, label});
  return [
    name,
    countText(number(n)),
    ...ofTwo(countText(number(positives))),
    html('td', {class: 'num big', 'data-subgroup': name, 'data-value': found.value}, numberText(found.value)),
    interval,
    html('td', {class: 'barcell'}, bar),
  ];
}

/** @param {SubgroupsPart} found @param {string} metric */
function valuesTable({groups, by}, metric) {
  const {n, positives, estimates, level} = everyone();
  const all = [...groups, {name: 'everyone', n, positives, estimates}];
  const range = reachOf(all.map(each => readInterval(each.estimates[metric])));
  const rows = all.map(each => groupRow(each, metric, number(estimates[metric].value), range));
  const [low, high] = range.map(each => numberText(each));
  const intervals = `with ${levelText(level)} intervals; bars run from ${low} to ${high}`;
  return table(
    `${labelOf(metric)} by ${by.join(' and ')}, ${intervals}`,
    ['Subgroup', 'Cases', ...ofTwo('Positives'), 'Value', 'Interval', 'The upright line is all cases'],
    rows,
    {class: 'headline forest'},
  );
}

/** As drawn: ratios on the scale of their logarithms, so that no difference is 0. @param {GapPart} gap */
function drawnGap(gap) {
  const [value, low, high] = [gap.difference, gap.low, gap.high]
    .map(number)
    .map(each => (gap.scale === 'ratio' ? Math.log(each) : each));
  return {value, low, high, baseline: 0};
}

/** @param {GapPart} gap @param {number} reach */
function gapBar(gap, reach) {
  if (gap.undefined) return noBar(gap.undefined);
  const interval = intervalText(number(gap.low), number(gap.high));
  const words = `${gap.scale} ${numberText(number(gap.difference))} ${interval}, ${gap.verdict}`;
  const label = `${gap.first} vs ${gap.second}: ${words}`;
  return intervalBar(drawnGap(gap), {range: [-reach, reach], look: verdictClass(gap.verdict), label});
}

/** @param {GapPart} gap @param {number} reach */
function gapRow(gap, reach) {
  const value = number(gap.difference);
  return [
    `${gap.first} ${gap.scale === 'ratio' ? '/' : '−'} ${gap.second}`,
    html('td', {class: 'num', 'data-gap': gap.first, 'data-value': value}, numberText(value)),
    intervalText(number(gap.low), number(gap.high)),
    pValueText(number(gap.p_value)),
    html('td', {class: 'barcell'}, gapBar(gap, reach)),
    html('td', null, html('span', {class: `verdict ${verdictClass(gap.verdict)}`}, gap.verdict)),
  ];
}

/** @param {SubgroupsPart} found @param {string} metric */
function gapsTable({differences, reference}, metric) {
  const gaps = differences.filter(each => each.metric === metric);
  if (!gaps.length) return [];
  const isRatio = gaps[0].scale === 'ratio';
  const ends = gaps.map(drawnGap).flatMap(endsOf).filter(Number.isFinite).map(Math.abs);
  const reach = Math.max(...ends, 0.01) * 1.05;
  const one = isRatio ? 'Ratio' : 'Difference';
  const heads = ['Subgroups', one, 'Interval', 'Adjusted p', 'The upright line is no difference', 'Verdict'];
  const rows = gaps.map(each => gapRow(each, reach));
  return [table(`${one}s of ${labelOf(metric)} from ${reference}`, heads, rows, {class: 'headline forest'})];
}

/** @param {string[]} by */
const howToReadSubgroups = by =>
  howToRead(
    `The cases divided by ${by.join(' and ')}. Each bar is the interval of one subgroup, the dot its value, and the ` +
      'upright line all cases together. A wide bar means that little is known, not that there is no difference.',
  );

/**
 * A metric of choice, and what `draw` makes of it.
 * @param {string[]} metrics @param {(metric: string) => Child[]} draw
 */
function byMetric(metrics, draw) {
  const place = html('div', null);
  const show = (/** @type {string} */ metric) => place.replaceChildren(...draw(metric).map(each => each || ''));
  const options = metrics.map(each => /** @type {[string, string]} */ ([each, labelOf(each)]));
  show(metrics[0]);
  return [...(metrics.length > 1 ? [select('Metric', options, metrics[0], show)] : []), place];
}

const theSubgroups = () => /** @type {SubgroupsPart} */ (payload.subgroups);

/** @type {Section} */
export const subgroupsSection = {
  id: 'subgroups',
  title: 'Do subgroups differ?',
  short: 'Subgroups',
  when: () => 'subgroups' in payload,
  build: root => {
    const found = theSubgroups();
    if (CLASSES && found.sentence) root.append(html('p', {class: 'lead'}, found.sentence));
    root.append(howToReadSubgroups(found.by));
    if (found.left_out) root.append(remark(`${found.left_out} smaller subgroups are not on this page.`));
    root.append(
      ...byMetric(found.metrics, metric => [valuesTable(found, metric)]),
      onPaper(found.groups.length + 1, 'rows') || '',
    );
  },
};

/** The widest gap of each metric among all subgroups. @param {SubgroupsPart} found */
function widestTable({gaps = []}) {
  if (!gaps.length) return '';
  const rows = gaps.map(each => [
    rowHead(labelOf(each.metric), each.undefined || `from ${each.lowest} to ${each.highest}`),
    html(
      'td',
      {class: 'num', 'data-widest': each.metric, 'data-value': number(each.value)},
      numberText(number(each.value)),
    ),
    intervalText(number(each.low), number(each.high)),
    numberText(number(each.by_chance)),
    numberText(number(each.corrected)),
    pValueText(number(each.p_equal)),
  ]);
  const heads = ['Metric', 'Largest difference', 'Interval', 'By chance alone', 'Minus its bias', 'p if identical'];
  return table('Largest minus smallest value, and what identical subgroups would show', heads, rows);
}

/** @type {Section} */
export const gapsSection = {
  id: 'gaps',
  title: 'Differences between subgroups',
  short: 'Gaps',
  about: 'the largest difference and what chance would show; each subgroup vs the reference',
  when: () => Boolean(payload.subgroups?.differences.length),
  build: root => {
    const found = theSubgroups();
    const note = 'p-values are adjusted for all subgroups of a metric (Holm), not for several metrics.';
    root.append(widestTable(found), ...byMetric(found.metrics, metric => [...gapsTable(found, metric), remark(note)]));
  },
};
