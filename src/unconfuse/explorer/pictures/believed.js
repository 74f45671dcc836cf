// How far each label can be believed, against the prevalence.

import {Chart, clamped} from '../chart.js';
import {html, setData, setText} from '../elements.js';
import {hasNumbers} from '../downloads.js';
import {figure} from '../figures.js';
import {prevalenceAt, shareOfScale} from '../prevalence_scale.js';
import {change, chosenModel, state, watch} from '../state.js';
import {percentRange, percentText} from '../text.js';
import {evenPrevalence, shifted} from './shifted.js';

/** @import {Interval} from '../types' */

const HOW_BELIEVED =
  'Blue: how likely a positive label is right. Orange: the same for a negative label, each with its interval at each ' +
  'point. Click or drag to choose a prevalence; at the dashed line a positive label is right as often as not.';
const SHARES = Array.from({length: 121}, (_, i) => i / 120);
const MARKED = [0.0001, 0.001, 0.01, 0.1, 0.5, 0.9, 0.99];
const LABELS = ['precision', 'npv'];

/** How likely a label is right. @param {string} name @param {number} prevalence */
const rightAt = (name, prevalence) => shifted(chosenModel(), name, state.stop, prevalence);

/** @param {string} name @param {number} prevalence */
const rightText = (name, prevalence) => percentText(rightAt(name, prevalence).value);

function believedPlot() {
  /** @type {[number, string][]} */
  const ticks = MARKED.map(each => [shareOfScale(each), percentText(each)]);
  const plot = new Chart(
    'How often each label is right',
    {low: 0, high: 1, label: 'Prevalence (share of positives), stretched scale', ticks},
    {low: 0, high: 1, label: 'Probability that the label is right'},
  );
  plot.pick(share => change({prevalence: prevalenceAt(share)}));
  plot.hover(share => {
    const prevalence = prevalenceAt(share);
    const right = `PPV ${rightText('precision', prevalence)}, NPV ${rightText('npv', prevalence)}`;
    return `at ${percentText(prevalence)}: ${right}`;
  });
  hasNumbers(plot.node, ['prevalence', 'PPV', 'NPV'], () =>
    SHARES.map(prevalenceAt).map(each => [each, ...LABELS.map(name => rightAt(name, each).value)]),
  );
  return plot;
}

/** @param {Interval} even */
function evenText({value, low, high}) {
  if (Number.isNaN(value)) return 'No case is labelled positive at this threshold.';
  const range = Number.isNaN(low) ? '' : ` (${percentRange(low, high)})`;
  const where = `where more than ${percentText(value)}${range} of the cases are positive`;
  return `Break-even: a positive label is right more often than wrong ${where}.`;
}

/** Both labels' lines and bands; what is returned draws them anew. @param {Chart} plot */
function believedLines(plot) {
  const prevalences = SHARES.map(prevalenceAt);
  const bands = LABELS.map(name => plot.band([], [], [], name));
  const lines = LABELS.map(name => plot.line([], [], name));
  return () =>
    LABELS.forEach((name, i) => {
      const found = prevalences.map(each => rightAt(name, each));
      const column = (/** @type {keyof Interval} */ key) => found.map(each => each[key]);
      lines[i].setAttribute('d', plot.path(SHARES, column('value')));
      bands[i].setAttribute('d', plot.area(SHARES, column('low'), column('high')));
    });
}

/** The prevalence of the slider, and the break-even; what is returned moves both. @param {Chart} plot */
function believedMarks(plot) {
  const dashed = plot.upright('even');
  const cut = plot.upright('cut');
  const dots = LABELS.map(name => plot.point(name));
  const note = plot.words(0, plot.inner.bottom - 8, '', 'start');
  return (/** @type {Interval} */ {value}) => {
    const here = shareOfScale(state.prevalence);
    const place = Number.isFinite(value) ? clamped(shareOfScale(value), 0, 1) : 0;
    dashed(place);
    cut(here);
    LABELS.forEach((name, i) => dots[i](here, rightAt(name, state.prevalence).value));
    setText(note, Number.isNaN(value) ? '' : `PPV = 1/2 at ${percentText(value)}`);
    note.setAttribute('x', String(Math.min(plot.across(place) + 6, plot.inner.right - 130)));
  };
}

function describeBelieved() {
  const [positive, negative] = LABELS.map(name => rightText(name, state.prevalence));
  const right = `a positive label is right ${positive}, a negative one ${negative} of the time`;
  return `At a prevalence of ${percentText(state.prevalence)}: ${right}`;
}

export function believedPicture() {
  const plot = believedPlot();
  const words = html('p', {class: 'said', id: 'break-even'});
  const drawLines = believedLines(plot);
  const moveMarks = believedMarks(plot);
  plot.line([0, 1], [0.5, 0.5], 'baseline');
  watch(() => {
    const even = evenPrevalence(chosenModel(), state.stop);
    drawLines();
    moveMarks(even);
    setText(words, evenText(even));
    setData(words, {value: even.value});
    plot.describe(describeBelieved());
  });
  return figure('How often a label is right', plot.wrap, HOW_BELIEVED, words);
}
