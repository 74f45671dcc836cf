// Which metric tells models apart here: its signal against its noise.

import {Chart, heightAt} from '../chart.js';
import {howToRead, html, remark, rowHead, select, svg, table} from '../elements.js';
import {figure} from '../figures.js';
import {METRICS, payload} from '../payload.js';
import {capital, countText, fixed, general, intervalText, number, numbers, numberText} from '../text.js';

/** @import {KindPart, ResolutionPart, ResolutionRow, Section} from '../types' */

const HOW_RESOLUTION =
  'A metric is a good guide if it responds strongly to an improvement (its signal) and varies little from sample to ' +
  'sample (its noise). What counts is how often the better of two models wins by it, and how many cases it needs ' +
  'where the AUROC needs one. Kappa is the width of the 95% interval on the AUROC scale; two models on different ' +
  'cases differ (p < 0.05) from 0.71 kappa on, so short bars are better. The last column is the kappa of the ' +
  'paper, by mapping a sample interval, where it can be compared.';
const HOW_IMPROVEMENTS =
  'Metrics of the top see improvements at the top, the AUROC sees improvements everywhere. Short bars are good: so ' +
  'many cases does a metric need where the AUROC needs one. Strong bars are of metrics known to be better than the ' +
  'AUROC.';

/** @type {Record<string, string>} */
const IMPROVEMENTS = {
  shift: 'Better everywhere',
  scale: 'Positives farther out',
  top: 'Fewer false positives at the top',
  tilt: 'High scores more often right',
};
const MOST_CASES = 3;
const HOW_SIGNAL =
  'The curve is how the metric rises as the classifier improves. The shaded strip on the left is how far the metric ' +
  'wobbles between samples; carried over by the curve to the axis below it is kappa.';

/** @param {string} name */
const labelOrName = name => (METRICS[name] ? METRICS[name].label : name.replaceAll('_', ' '));

/** @param {ResolutionRow} row @param {number} widest */
function kappaBar(row, widest) {
  const kappa = number(row.kappa_w);
  const label = row.not_ranked || `kappa ${numberText(kappa, 4)}`;
  const length = {class: 'length', x: 8, y: 5, height: 12, width: (204 * kappa) / widest};
  return svg(
    'svg',
    {viewBox: '0 0 220 22', class: 'bar', role: 'img', 'aria-label': label},
    Number.isFinite(kappa) && svg('rect', length),
  );
}

/** The paper's kappa, where it can be compared. @param {ResolutionRow} row */
function mappedText(row) {
  if (row.undefined || row.caution) return 'not comparable';
  const error = number(row.mc_error) || number(row.theory_error);
  return numberText(number(row.kappa), 4) + (error ? ` ± ${general(error, 1)}` : '');
}

/** @param {ResolutionRow} row @param {number} widest */
function resolutionRow(row, widest) {
  const [wins, kappa, cases] = [number(row.wins), number(row.kappa_w), 1 / number(row.efficiency)];
  return [
    rowHead(labelOrName(row.metric), row.not_ranked || row.undefined || row.caution || ''),
    numberText(number(row.value)),
    intervalText(number(row.low), number(row.high)),
    html('td', {class: 'num', 'data-value': wins}, Number.isFinite(wins) ? `${fixed(100 * wins, 1)}%` : ''),
    html('td', {class: 'num', 'data-value': cases}, Number.isFinite(cases) ? fixed(cases, 2) : ''),
    html('td', {class: 'num', 'data-value': kappa}, Number.isFinite(kappa) ? numberText(kappa, 4) : ''),
    html('td', {class: 'barcell'}, kappaBar(row, widest)),
    mappedText(row),
  ];
}

/** @param {number} cases @param {boolean} strong @param {string} label */
const casesBar = (cases, strong, label) =>
  svg(
    'svg',
    {viewBox: '0 0 220 12', class: 'bar', role: 'img', 'aria-label': label},
    svg('rect', {
      class: strong ? 'length' : 'length weak',
      x: 0,
      y: 2,
      height: 8,
      width: (220 * Math.min(cases, MOST_CASES)) / MOST_CASES,
    }),
  );

/** One kind of improvement: its answer, and the cases that each metric needs. @param {KindPart} kind */
function kindCard(kind) {
  const lines = Object.entries(kind.cases).map(([name, value]) => {
    const cases = number(value);
    const words = fixed(cases, 2);
    const strong = kind.better.includes(name);
    return html(
      'li',
      {class: strong ? 'strong' : null},
      html('span', null, labelOrName(name)),
      html('span', {'data-cases': cases}, words),
      casesBar(cases, strong, `${words} cases for one of the AUROC`),
    );
  });
  return html(
    'article',
    {class: 'way', 'data-kind': kind.improvement, 'data-outcome': kind.outcome},
    html('h4', null, IMPROVEMENTS[kind.improvement] || kind.improvement),
    html('p', {class: 'muted'}, `A better model ${kind.words}.`),
    html('p', null, `${capital(kind.sentence)}.`),
    html('ul', {class: 'needed'}, ...lines),
  );
}

/** @param {KindPart[]} kinds */
const kindCards = kinds =>
  html(
    'div',
    {id: 'ways'},
    html('h3', null, 'How will your next model be better?'),
    howToRead(HOW_IMPROVEMENTS),
    html('div', {class: 'ways'}, ...kinds.map(kindCard)),
  );

/** @param {ResolutionPart} found @param {number} at */
function resolutionTable(found, at) {
  const rows = found.rows.filter(each => each.at === at);
  const widest = Math.max(...rows.map(each => number(each.kappa_w)).filter(Number.isFinite), 1e-9) * 1.05;
  const cases = `${countText(number(found.n))} cases, ${countText(number(found.positives))} positive`;
  return table(
    `Resolution at AUROC ${numberText(at)}, ${cases}`,
    [
      'Metric',
      'Value',
      'Sample interval',
      'Better model wins',
      'Cases for one of AUROC',
      'kappa',
      'kappa as a bar',
      'Mapped kappa',
    ],
    rows.map(each => resolutionRow(each, widest)),
    {class: 'headline resolutions'},
  );
}

/** The metric's wobble on the left, carried over to the axis below. @param {Chart} plot @param {ResolutionRow} row */
function mappedStrips(plot, row) {
  const [left, right, low, high] = [row.mapped_low, row.mapped_high, row.low, row.high].map(number);
  const [from, to, bottom, top] = [plot.across(left), plot.across(right), plot.up(low), plot.up(high)];
  const upper = plot.up(Math.max(low, high));
  const below = {x: from, width: to - from, y: top, height: Math.max(plot.inner.bottom - top, 0)};
  const beside = {x: plot.inner.left, width: to - plot.inner.left, y: upper, height: Math.abs(bottom - top)};
  return [svg('rect', {class: 'mapped', ...below}), svg('rect', {class: 'mapped', ...beside})];
}

/** @param {ResolutionPart} found @param {string} metric */
function signalPicture(found, metric) {
  const x = numbers(found.curves[metric].x);
  const y = numbers(found.curves[metric].y);
  const lowest = Math.min(...y);
  const label = labelOrName(metric);
  const plot = new Chart(
    `Signal curve of ${label}`,
    {low: Math.min(...x), high: Math.max(...x), label: `Quality (${labelOrName(found.reference)})`},
    {low: Math.min(lowest, 0), high: Math.max(...y, lowest + 1e-9), label},
  );
  const row = found.rows.find(each => each.metric === metric);
  if (row && Number.isFinite(number(row.mapped_low))) plot.marks.append(...mappedStrips(plot, row));
  plot.line(x, y, 'one');
  plot.hover(value => `a classifier of quality ${numberText(value)} has ${label} ${numberText(heightAt(x, y, value))}`);
  return plot.wrap;
}

/** @param {ResolutionPart} found */
function signalFigure(found) {
  const names = [...new Set(found.rows.map(each => each.metric))];
  const first = names.find(name => name !== found.reference) || names[0];
  const place = html('div', null);
  const draw = (/** @type {string} */ metric) => {
    const {problem} = found.curves[metric];
    place.replaceChildren(signalPicture(found, metric), problem ? remark(problem) : '');
  };
  draw(first);
  const options = names.map(each => /** @type {[string, string]} */ ([each, labelOrName(each)]));
  return figure('Signal and noise', place, HOW_SIGNAL, select('Metric', options, first, draw));
}

/** @type {Section} */
export const resolutionSection = {
  id: 'resolution',
  title: 'Which metric resolves models best here',
  short: 'Resolving power',
  about: 'which metric needs the fewest cases to show which of two models is better',
  when: () => 'resolution' in payload,
  build: root => {
    const found = /** @type {ResolutionPart} */ (payload.resolution);
    root.append(howToRead(HOW_RESOLUTION));
    if (payload.kind !== 'resolve') root.append(html('p', {class: 'said'}, found.paragraph));
    if (found.kinds && found.kinds.length) root.append(kindCards(found.kinds));
    root.append(...numbers(found.at).map(at => resolutionTable(found, at)));
    root.append(html('div', {class: 'grid'}, signalFigure(found)));
  },
};
