// Which threshold: one row for each way to choose.

import {button, howToRead, html, remark, rowHead, setAttributes, table} from '../elements.js';
import {MODELS, nearestStop} from '../models.js';
import {payload} from '../payload.js';
import {change, state, watch} from '../state.js';
import {fixed, intervalText, number, numberText, percentText, thresholdText} from '../text.js';

/** @import {CardPart, RulePart, Section} from '../types' */

/** @param {CardPart} card @param {boolean} own */
function howToChoose({honest}, own) {
  const press = own ? ' Press a rule to move the slider there.' : '';
  return howToRead(
    `One row for each threshold rule. Performance is ${honest}: what to expect on new cases, and in small ` +
      `print its optimism: how much better it is on the data that chose the threshold.${press}`,
  );
}

/** @param {CardPart} card */
function advice({advice: lines = []}) {
  const items = lines.map(each => html('li', null, each));
  return html('ul', {class: 'advice'}, items);
}

/** @param {RulePart} rule @param {string} name */
function expected(rule, name) {
  const found = rule.metrics[name];
  if (!found) return '';
  const value = number(found.value);
  const flattered = number(found.optimism);
  const seen = Number.isFinite(flattered) && Math.abs(flattered) >= 0.0005;
  const small = ` ${flattered > 0 ? '+' : '−'}${fixed(Math.abs(flattered), 3)}`;
  return html(
    'td',
    {class: 'num', 'data-value': value},
    numberText(value),
    seen && html('span', {class: 'small muted'}, small),
  );
}

/** A button that moves the slider to a rule's threshold. @param {RulePart} rule */
function ruleButton({name, label, threshold}) {
  const stop = nearestStop(MODELS[0], number(threshold));
  const made = button({class: 'rule', 'data-rule': name}, label, () => change({model: 0, stop}));
  watch(() => setAttributes(made, {'aria-pressed': stop === state.stop}));
  return made;
}

/** @param {RulePart} rule @param {boolean} own */
function ruleRow(rule, own) {
  const threshold = number(rule.threshold);
  return [
    rowHead(own ? ruleButton(rule) : rule.label, rule.unreachable || rule.why),
    thresholdText(threshold),
    Number.isFinite(threshold) ? intervalText(number(rule.low), number(rule.high)) : '',
    ...['sensitivity', 'specificity', 'precision', 'youden_j'].map(name => expected(rule, name)),
  ];
}

const own = () => MODELS.length === 1 && MODELS[0].scored;

/** The ways to choose a threshold that need no statistics, for everyone. @param {CardPart} card */
export function shortCard(card) {
  const known = card.rules.filter(rule => rule.in_short);
  const rows = known.map(rule => [
    rowHead(own() ? ruleButton(rule) : rule.label, rule.unreachable || rule.why),
    thresholdText(number(rule.threshold)),
    ...['sensitivity', 'precision'].map(name => {
      const value = number(rule.metrics[name]?.value);
      return html('td', {class: 'num'}, Number.isNaN(value) ? '' : percentText(value));
    }),
  ]);
  const caption = `Threshold rules; performance ${card.honest}`;
  const heads = ['Press a rule to go there', 'Threshold', 'Sensitivity', 'Precision'];
  return html('div', null, html('h3', null, 'Threshold rules'), table(caption, heads, rows, {class: 'rules small'}));
}

/** @type {Section} */
export const cardSection = {
  id: 'card',
  title: 'Threshold card',
  short: 'Threshold card',
  about: 'every rule and every guarantee with its interval, measured on cases not used to choose it',
  when: () => 'card' in payload,
  build: root => {
    const card = /** @type {CardPart} */ (payload.card);
    const said = payload.kind === 'thresholds' ? [] : card.findings.map(each => remark(each.sentence));
    const heads = ['Rule', 'Threshold', 'Interval', 'Sensitivity', 'Specificity', 'Precision', 'Youden J'];
    const rows = card.rules.map(rule => ruleRow(rule, own()));
    const caption = `Threshold card, performance ${card.honest}`;
    root.append(howToChoose(card, own()), advice(card), ...said, table(caption, heads, rows, {class: 'rules'}));
  },
};
