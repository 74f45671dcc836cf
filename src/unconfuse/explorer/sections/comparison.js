// Which model is better: paired differences, one table for each pair of models.

import {button, details, howToRead, html, remark, rowHead, select, setAttributes, table} from '../elements.js';
import {readInterval} from '../estimates.js';
import {intervalBar} from '../interval_bar.js';
import {MODELS} from '../models.js';
import {payload} from '../payload.js';
import {chooseModel, state, watch} from '../state.js';
import {intervalText, levelText, middleCut, number, numberText, pValueText, verdictClass} from '../text.js';
import {boardLeads, leaderboardBlock} from './leaderboard.js';

/** @import {ComparisonPart, DifferencePart, Section} from '../types' */

const HOW_COMPARISON =
  'Both models are evaluated on the same cases, so their differences are paired and their intervals narrower ' +
  'than for separate cases. A bar that excludes the middle line shows a difference; on the right, the first model ' +
  'is better.';

/** @param {ComparisonPart} found @returns {[string, string][]} */
function pairsOf({models, differences}) {
  const keys = new Set(differences.map(each => `${models.indexOf(each.first)} ${models.indexOf(each.second)}`));
  return [...keys].map(key => [key, namesOf(models, key).join(' vs ')]);
}

/** @param {string[]} models @param {string} key */
const namesOf = (models, key) => key.split(' ').map(place => models[Number(place)]);

/** The difference and its limits. @param {DifferencePart} part */
const limitsOfDifference = part => [part.difference, part.low, part.high].map(number);

/** A metric of which less is better is turned round. @param {DifferencePart} part @param {number} reach */
function differenceBar(part, reach) {
  const sign = part.better === 'lower' ? -1 : 1;
  const [difference, from, to] = limitsOfDifference(part);
  const [low, high] = [sign * from, sign * to].sort((a, b) => a - b);
  const words = `difference ${numberText(difference)} ${intervalText(from, to)}, ${part.verdict}`;
  if (!Number.isFinite(from)) return html('span', {class: 'muted'}, '–');
  return intervalBar(
    {value: sign * difference, low, high, baseline: 0},
    {range: [-reach, reach], look: verdictClass(part.verdict), label: `${part.label}: ${words}`},
  );
}

const TURNED = 'lower is better (turned round in the picture)';

/** @param {DifferencePart} part @param {number} reach @param {string} remarked below its name */
function differenceRow(part, reach, remarked) {
  const [value, low, high] = limitsOfDifference(part);
  const verdict = html('span', {class: `verdict ${verdictClass(part.verdict)}`}, part.verdict);
  return [
    rowHead(part.label, remarked),
    html('td', {class: 'num'}, verdict),
    html('td', {class: 'barcell'}, differenceBar(part, reach)),
    html('td', {class: 'num', 'data-value': value, 'data-metric': part.metric}, numberText(value)),
    intervalText(low, high),
    pValueText(number(part.p_value)),
    numberText(number(part.first_value)),
    numberText(number(part.second_value)),
  ];
}

/** @param {ComparisonPart} found @param {string[]} pair */
function pairTable(found, [first, second]) {
  const parts = found.differences.filter(each => each.first === first && each.second === second);
  const remarks = parts.map(each => (each.better === 'lower' ? TURNED : ''));
  return differencesTable(found, parts, remarks, 'Metric', `Paired differences, ${first} minus ${second}`);
}

/** The same pair in each subgroup, by one metric; nothing if cases were not divided. */
function subgroupTable(/** @type {ComparisonPart} */ found, /** @type {string[]} */ [first, second]) {
  const own = found.subgroups?.find(each => each.first === first && each.second === second);
  if (!own) return [];
  const turned = own.differences[0]?.better === 'lower' ? `, ${TURNED}` : '';
  const caption = `${own.label} in each subgroup, ${first} minus ${second}${turned}`;
  const head = own.by.join(' and ');
  const drawn = differencesTable(
    found,
    own.differences,
    own.differences.map(() => ''),
    head,
    caption,
  );
  const more = own.left_out ? [remark(`${own.left_out} more subgroups are not on this page.`)] : [];
  return [html('h3', {class: 'after'}, `By ${head}`), html('p', null, own.sentence), drawn, ...more];
}

/** @param {ComparisonPart} found @param {DifferencePart[]} parts @param {string[]} remarks @param {string} head */
function differencesTable(found, parts, remarks, head, caption = '') {
  const {first, second} = parts[0];
  const ends = parts.flatMap(limitsOfDifference).filter(Number.isFinite).map(Math.abs);
  const reach = Math.max(...ends, 0.01) * 1.08;
  const [left, right] = middleCut([first, second], 20);
  const heads = [
    head,
    `${left} is`,
    html('span', {class: 'nowrap'}, 'worse ← 0 → better'),
    'Difference',
    `${levelText(found.settings.confidence_level)} interval`,
    'p-value',
    left,
    right,
  ];
  const rows = parts.map((each, place) => differenceRow(each, reach, remarks[place]));
  return table(caption, heads, rows, {class: 'headline forest paired'});
}

/** @param {ComparisonPart} found @param {string} metric */
const partOf = (found, metric) => found.differences.find(each => each.metric === metric);

/** All models side by side, each with its own interval. @param {ComparisonPart} found */
function sideBySide(found) {
  const {models, metrics, table: own = {}} = found;
  const rows = metrics.map(metric => {
    const part = partOf(found, metric);
    const cells = models.map(model => {
      const one = own[model]?.[metric] || {value: null, low: null, high: null, undefined: null};
      const {value, low, high} = readInterval(one);
      const range = html('span', {class: 'muted range'}, intervalText(low, high));
      return html(
        'td',
        {class: 'num', 'data-model': model, 'data-of': metric, 'data-value': value},
        html('b', null, numberText(value)),
        range,
      );
    });
    return [rowHead(part?.label || metric, part?.better === 'lower' ? 'lower is better' : ''), ...cells];
  });
  const heads = ['Metric', ...models.map(modelHead)];
  const level = levelText(found.settings.confidence_level);
  return table(`Every model with its ${level} intervals`, heads, rows, {class: 'side'});
}

/** The name of a model; a press makes it the one that the sliders move. @param {string} name @param {number} index */
function modelHead(name, index) {
  if (!MODELS[index]) return name;
  const key = html('span', {class: `swatch ${MODELS[index].colour}`});
  const made = button({class: 'rule'}, name, () => chooseModel(index));
  watch(() => setAttributes(made, {'aria-pressed': state.model === index}));
  return html('span', null, key, made);
}

/** How many models are not drawn, and which are. @param {ComparisonPart} found */
function leftOutText(found) {
  const {models, left_out, metrics} = found;
  const label = partOf(found, metrics[0])?.label || metrics[0];
  const all = models.length + left_out;
  return `Shown are the best by ${label}, best first; ${left_out} of ${all} models are not on this page.`;
}

/** @type {Section} */
export const comparisonSection = {
  id: 'comparison',
  title: 'Which model is better, and how sure that is',
  short: 'Comparison',
  when: () => 'comparison' in payload,
  build: root => {
    const found = /** @type {ComparisonPart} */ (payload.comparison);
    if (!boardLeads()) root.append(leaderboardBlock());
    if (found.left_out) root.append(remark(leftOutText(found)));
    root.append(found.table ? sideBySide(found) : '', pairTables(found));
  },
};

/** Pairs come last: one table for the pair that is chosen. @param {ComparisonPart} found */
function pairTables(found) {
  const pairs = pairsOf(found);
  const place = html('div', null);
  const draw = (/** @type {string} */ key) => {
    const pair = namesOf(found.models, key);
    place.replaceChildren(pairTable(found, pair), ...subgroupTable(found, pair));
  };
  const chooser = pairs.length > 1 ? select('Pair', pairs, pairs[0][0], draw) : null;
  draw(pairs[0][0]);
  if (pairs.length > 1) {
    const folded = details(
      `Pair by pair: ${pairs.length} pairs, every metric`,
      howToRead(HOW_COMPARISON),
      chooser,
      place,
    );
    folded.classList.add('no-paper');
    return folded;
  }
  const head = html('h3', {class: 'after'}, pairs[0][1]);
  return html('div', {class: 'no-paper'}, head, howToRead(HOW_COMPARISON), place);
}
