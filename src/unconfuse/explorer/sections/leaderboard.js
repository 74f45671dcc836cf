// The models of a comparison, best first, in tiers that these data cannot tell apart.

import {button, html, remark, setAttributes, table} from '../elements.js';
import {intervalBar} from '../interval_bar.js';
import {MODELS} from '../models.js';
import {payload} from '../payload.js';
import {chooseModel, state, watch} from '../state.js';
import {intervalText, levelText, middleCut, number, numberText, pValueText, valueBeside} from '../text.js';
import {reachOf} from './subgroups.js';

/** @import {ComparisonPart, Interval, LeaderboardPart, StandingPart} from '../types' */

/** Characters of a name that a row has room for. */
const ROOM = 36;
/** The same on a phone, narrower than so many pixels: a name stays in one line. */
const SHORT = 14;
const NARROW = 560;

/** A model's own value with its interval. @param {StandingPart} one @returns {Interval} */
const ownOf = one => ({value: number(one.value), low: number(one.own_low), high: number(one.own_high)});

/** The name; a press makes it the model that the sliders move. @param {string} name @param {string} shown */
function standingName(name, shown) {
  const index = MODELS.findIndex(each => each.name === name);
  if (index < 0) return html('span', {class: 'unlisted', title: name}, shown);
  const made = button({class: 'rule', title: name}, shown, () => chooseModel(index));
  watch(() => setAttributes(made, {'aria-pressed': state.model === index}));
  return html('span', null, html('span', {class: `swatch ${MODELS[index].colour}`}), made);
}

/** How far behind the best: nothing for the best itself. @param {StandingPart} one */
function behindCells(one) {
  const difference = number(one.difference);
  if (Number.isNaN(difference)) return [one.place === 1 ? 'best' : '', ''];
  const [low, high] = [number(one.low), number(one.high)];
  const whole = (/** @type {string} */ text) => html('span', {class: 'nowrap'}, text);
  return [
    html('td', {class: 'num'}, whole(valueBeside(difference, low, high)), ' ', whole(intervalText(low, high))),
    pValueText(number(one.p_value)),
  ];
}

/**
 * @param {StandingPart} one @param {boolean} again whether the model before is of the same tier
 * @param {string} shown @param {{label: string, range: number[], baseline: number}} how
 */
function standingRow(one, again, shown, {label, range, baseline}) {
  const own = ownOf(one);
  const interval = intervalText(own.low, own.high);
  const words = `${one.model}: ${label} ${numberText(own.value)} ${interval}`;
  const bar = intervalBar(
    {...own, baseline},
    {range, label: words, look: one.tier === 1 ? '' : 'cannot-tell', width: 320},
  );
  const [behind, p] = behindCells(one);
  return [
    html(
      'td',
      {class: again ? 'tier again' : 'tier'},
      again ? html('span', {class: 'hidden-words'}, `${one.tier}`) : `${one.tier}`,
    ),
    html('th', {scope: 'row', 'data-standing': one.place}, standingName(one.model, shown)),
    html('td', {class: 'barcell'}, bar),
    html('td', {class: 'num big', 'data-value': own.value}, numberText(own.value)),
    html('td', {class: 'num muted'}, interval),
    behind,
    p,
  ];
}

/** What guessing reaches; nothing where the metric has no such value. @param {string} metric */
const guessing = metric => number(MODELS[0]?.estimates[metric]?.baseline);

/** @param {ComparisonPart} found @param {LeaderboardPart} board */
function boardTable(found, {label, metric, standings}) {
  const baseline = guessing(metric);
  const range = reachOf([...standings.map(ownOf), {value: baseline, low: NaN, high: NaN}]);
  const names = middleCut(
    standings.map(each => each.model),
    innerWidth < NARROW ? SHORT : ROOM,
  );
  const how = {label, range, baseline};
  const rows = standings.map((each, place) =>
    standingRow(each, each.tier === standings[place - 1]?.tier, names[place], how),
  );
  const level = levelText(found.settings.confidence_level);
  const heads = [
    'Tier',
    'Model',
    `${level} interval of each`,
    label.split(' (')[0],
    'Interval',
    'Behind the best',
    'p',
  ];
  return table(`Models by ${label}, best first`, heads, rows, {class: 'board keep'});
}

/** Whether it leads the page: of two models, the sentence alone says as much. */
export const boardLeads = () => (payload.comparison?.leaderboard?.standings.length || 0) > 2;

export function leaderboardBlock() {
  const found = payload.comparison;
  const board = found?.leaderboard;
  if (!found || !board) return '';
  const words =
    'Within a tier, differences are inconclusive; a tier begins where a model differs from one above it. ' +
    'Differences from the best are paired, and adjusted for all pairs.';
  return html('div', {id: 'leaderboard'}, boardTable(found, board), remark(words));
}
