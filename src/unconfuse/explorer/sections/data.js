// The data, how to repeat this, and how to cite it.

import {CLASSES} from '../classes.js';
import {copy} from '../copying.js';
import {button, details, html} from '../elements.js';
import {MODELS} from '../models.js';
import {payload} from '../payload.js';
import {countText, levelText, number, percentText, thresholdText} from '../text.js';

/** @import {CardPart, Classes, ComparisonPart, Model, ResolutionPart, Section} from '../types' */

const CLUSTERED = 'clustered: cases that belong together were resampled together';
const FOLDS = 'cross-validated: numbers are means over folds, each tested on its own cases';
const JUDGED = 'double sampling: a rater labelled all cases, and some were verified';
const SAMPLED = 'sampled: weights say how each row was sampled, and intervals rest on the rows';
/** @type {Record<string, string | undefined>} */
const DESIGNS = {
  cohort: 'cohort: the share of positives came about by itself',
  'case-control': 'case-control: the study chose the share of positives',
  clustered: CLUSTERED,
  sampled: SAMPLED,
  judged: JUDGED,
  'cross-validated': FOLDS,
};
/** @type {Record<string, string | undefined>} */
const DESIGNS_OF_CLASSES = {
  cohort: 'cohort: the shares of the classes came about by themselves',
  'case-control': 'case-control: the study chose the shares of the classes',
  clustered: CLUSTERED,
  sampled: SAMPLED,
  judged: JUDGED,
  'cross-validated': FOLDS,
};
const THINNED = 'thinned such that no line moves by half a pixel on a picture 400 pixels wide';
const BINNED =
  'scores were joined into blocks: the slider stops between blocks, where counts are exact; each metric says ' +
  'between which numbers its exact value certainly lies; what needs exact scores is not on this page';

/** Facts about what moves, which paper does not. */
const OF_THE_SCREEN = ['Slider', 'Curves'];

/** Pairs of a name and a text; empty texts are not shown. @typedef {[string, string][]} Facts */

/** @param {Classes} classes @returns {Facts} */
function factsOfClasses({n, size, left_out, entries, design, level, n_resamples, seed, source, full}) {
  const shown = left_out ? `, of which the ${countText(size)} largest are shown` : '';
  const thinned = MODELS.some(each => each.scored) ? `; their curves are ${THINNED}` : '';
  const resamples = `${countText(n_resamples)} resamples, seed ${seed}, where no formula serves`;
  return [
    ['Cases', countText(n)],
    ['Classes', countText(size + left_out) + shown],
    ['Matrix', `${countText(entries.length)} of ${countText(size * size)} cells hold cases`],
    ['Design', DESIGNS_OF_CLASSES[design] || design],
    ['Confidence level', levelText(level)],
    ['Bootstrap', n_resamples ? resamples : ''],
    ['Source', source],
    ['Single classes', `${full.length} in full${thinned}`],
  ];
}

/** @param {Model} model @returns {Facts} */
function factsOfModel(model) {
  const {positives, prevalence, scored, binned, design, n_resamples, seed} = model;
  const threshold = number(model.threshold);
  return [
    ['Cases', countText(model.n)],
    ['Positives', `${countText(positives)} (${percentText(prevalence)})`],
    ['Negatives', countText(model.negatives)],
    [binned ? 'Blocks of scores' : 'Distinct scores', scored ? scoresText(model) : ''],
    ['Rows left out', skippedText(model)],
    ['Binned table', binned ? BINNED : ''],
    ['Threshold evaluated', scored && Number.isFinite(threshold) ? thresholdText(threshold) : ''],
    ['Design', DESIGNS[design] || design],
    ['Confidence level', levelText(model.level)],
    ['Bootstrap', n_resamples ? `${countText(number(n_resamples))} resamples, seed ${seed}` : ''],
    ['Source', model.source],
    ['Slider', sliderText(model)],
    ['Curves', Object.keys(model.curves).length ? THINNED : ''],
  ];
}

/** @param {Model} model */
function scoresText({distinct_scores, lowest_score, highest_score}) {
  const [distinct, lowest, highest] = [distinct_scores, lowest_score, highest_score].map(number);
  return `${countText(distinct)}, from ${thresholdText(lowest)} to ${thresholdText(highest)}`;
}

/** @param {Model} model */
function skippedText({skipped}) {
  if (!skipped) return '';
  const reasons = Object.entries(skipped.reasons).map(([reason, rows]) => `${reason} ${countText(rows)}`);
  return `${countText(skipped.rows)}: ${reasons.join(', ')}`;
}

/** @param {Model} model */
function sliderText({binned, scored, thresholds, distinct_scores}) {
  const stops = `${thresholds.length} stops`;
  if (binned) return `${stops} between blocks`;
  if (!scored) return '';
  const distinct = number(distinct_scores);
  return distinct > thresholds.length
    ? `${stops} of ${countText(distinct)} distinct scores; numbers at each stop are exact`
    : `${stops}, one for each distinct score and each threshold named here`;
}

/** @param {CardPart} card */
function cardText({honest, settings}) {
  const named = Object.entries(settings).filter(([key]) => ['folds', 'repeats', 'n_resamples', 'rng'].includes(key));
  const texts = named.map(([key, value]) => `${key.replaceAll('_', ' ')} ${value}`);
  return `performance ${honest}; ${texts.join(', ')}`;
}

/** @param {ComparisonPart} comparison */
function comparisonText({n, positives, settings: {classes, adjust, n_resamples, seed}}) {
  const known = Number.isFinite(number(positives)) ? `, ${countText(number(positives))} positive` : '';
  const divided = classes ? `, ${classes.length} classes` : known;
  const resamples = n_resamples ? `; ${countText(n_resamples)} resamples, seed ${seed}` : '';
  return `${countText(number(n))} cases${divided}; p-values adjusted by ${adjust}${resamples}`;
}

/** @param {ResolutionPart} resolution */
function resolutionText({method, n_samples, seed, design}) {
  const samples = n_samples ? `, ${countText(number(n_samples))} samples, seed ${seed}` : '';
  return `${method} method${samples}, ${design} sampling`;
}

/** @returns {Facts} */
function facts() {
  const {card, comparison, resolution, version} = payload;
  const ofModel = MODELS.length ? factsOfModel(MODELS[0]) : [];
  return [
    ...(CLASSES ? factsOfClasses(CLASSES) : ofModel),
    ['Threshold card', card ? cardText(card) : ''],
    ['Comparison', comparison ? comparisonText(comparison) : ''],
    ['Resolving power', resolution ? resolutionText(resolution) : ''],
    ['Made by', `unconfuse ${version}`],
  ];
}

function citation() {
  const {text, bibtex} = payload.citation || {text: '', bibtex: ''};
  if (!text) return [];
  const buttons = html(
    'p',
    {class: 'no-paper'},
    button({id: 'cite-text'}, 'Copy', () => copy(text)),
    ' ',
    button({id: 'cite-bibtex'}, 'Copy as BibTeX', () => copy(bibtex)),
  );
  const entry = details('BibTeX', html('pre', {tabindex: 0}, html('code', null, bibtex)));
  entry.classList.add('no-paper');
  return [html('h3', null, 'Cite this page'), html('p', {id: 'citation'}, text), buttons, entry];
}

/** @type {Section} */
export const dataSection = {
  id: 'data',
  title: 'The data, and how to repeat this',
  short: 'Data',
  about: 'sizes, design, method, the command that repeats this, and a citation',
  when: () => true,
  build: root => {
    const known = facts().filter(([, text]) => text !== '');
    const pairs = known.flatMap(([name, text]) => {
      const look = {class: OF_THE_SCREEN.includes(name) ? 'no-paper' : null};
      return [html('dt', look, name), html('dd', look, text)];
    });
    root.append(html('dl', {class: 'facts'}, pairs));
    if (payload.command) {
      const command = html('pre', {tabindex: 0}, html('code', null, payload.command));
      root.append(html('h3', null, 'Run it again'), command);
    }
    root.append(...citation());
  },
};
