// One person: the probability before the test, and after either label.

import {clamped} from '../chart.js';
import {html, setAttributes, setData, setText, svg} from '../elements.js';
import {hasNumbers} from '../downloads.js';
import {figure} from '../figures.js';
import {chosenModel, state, watch} from '../state.js';
import {percentRange, percentText} from '../text.js';
import {afterLabel} from './shifted.js';

/** @import {Interval} from '../types' */

const HOW_PERSON =
  'The chosen prevalence taken as one person’s own probability before the test (symptoms, age and exposure belong ' +
  'in it): the likelihood ratio multiplies its odds.';
const RAIL = {width: 420, margin: 10, y: 58};

/** @param {number} probability */
const onRail = probability => RAIL.margin + (RAIL.width - 2 * RAIL.margin) * probability;

function rail() {
  const anchors = ['start', 'middle', 'middle', 'middle', 'end'];
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((p, i) =>
    svg('text', {x: onRail(p), y: 106, 'text-anchor': anchors[i], class: 'note'}, percentText(p)),
  );
  return [svg('line', {class: 'rail', x1: onRail(0), x2: onRail(1), y1: RAIL.y, y2: RAIL.y}), ...ticks];
}

/**
 * One probability with its name above or below; `move` puts it elsewhere.
 * @param {string} look @param {string} name @param {number} height
 */
function probabilityMark(look, name, height) {
  const span = svg('line', {class: `span ${look}`, y1: RAIL.y, y2: RAIL.y});
  const dot = svg('circle', {class: `point ${look}`, r: 7, cy: RAIL.y});
  const text = svg('text', {class: 'note strong', 'text-anchor': 'middle'}, name);
  const half = name.length * 4.3;
  const move = (/** @type {Interval} */ {value, low, high}) => {
    const seen = Number.isFinite(value);
    const bounded = !Number.isNaN(low);
    for (const part of [dot, text]) part.setAttribute('visibility', seen ? 'visible' : 'hidden');
    span.setAttribute('visibility', bounded ? 'visible' : 'hidden');
    if (bounded) setAttributes(span, {x1: onRail(low), x2: Math.max(onRail(high), onRail(low) + 1)});
    if (!seen) return;
    dot.setAttribute('cx', String(onRail(value)));
    setAttributes(text, {x: clamped(onRail(value), half, RAIL.width - half), y: height});
  };
  return {parts: [span, dot, text], move};
}

/** @param {Interval} found */
function probabilityText({value, low, high}) {
  if (Number.isNaN(value)) return 'unknown (this label never occurred)';
  return percentText(value) + (Number.isNaN(low) ? '' : ` (${percentRange(low, high)})`);
}

/** @param {Interval} positive @param {Interval} negative */
function personText(positive, negative) {
  const before = `Before the test the probability is ${percentText(state.prevalence)}.`;
  const after = `A positive label makes it ${probabilityText(positive)}; a negative label makes it`;
  return `${before} ${after} ${probabilityText(negative)}.`;
}

/** @param {'positive' | 'negative'} label */
const after = label => afterLabel(chosenModel(), label, state.stop, state.prevalence);

function personRows() {
  const row = (/** @type {string} */ words, /** @type {Interval} */ {value, low, high}) => [words, value, low, high];
  const before = row('before', {value: state.prevalence, low: NaN, high: NaN});
  return [before, row('after a positive label', after('positive')), row('after a negative label', after('negative'))];
}

export function personPicture() {
  const before = probabilityMark('prior', 'before', 84);
  const afterNegative = probabilityMark('npv', 'after a negative label', 18);
  const afterPositive = probabilityMark('precision', 'after a positive label', 40);
  const node = svg(
    'svg',
    {viewBox: `0 0 ${RAIL.width} 112`, role: 'img', class: 'chart person', 'aria-label': 'One person'},
    rail(),
    [before, afterNegative, afterPositive].flatMap(each => each.parts),
  );
  hasNumbers(node, ['probability', 'value', 'low', 'high'], personRows);
  const words = html('p', {class: 'said', id: 'person-words'});
  watch(() => {
    const [positive, negative] = [after('positive'), after('negative')];
    before.move({value: state.prevalence, low: NaN, high: NaN});
    afterPositive.move(positive);
    afterNegative.move(negative);
    setText(words, personText(positive, negative));
    setData(words, {positive: positive.value, low: positive.low, high: positive.high, negative: negative.value});
    node.setAttribute('aria-label', personText(positive, negative));
  });
  return figure('One person', html('div', {class: 'plot'}, node), HOW_PERSON, words);
}
