// ROC and precision-recall curves, with the current threshold as a dot.

import {figure} from '../figures.js';
import {METRIC} from '../formulas.js';
import {numberText, percentText} from '../text.js';
import {bandWords, besideText, intervalAt, overlay} from './overlay.js';

const HOW_ROC =
  'Each point is a threshold: how many positives it finds (up) and how many negatives it flags (right). The dot ' +
  'is the current one with its intervals; click or drag to choose another. Chance runs along the diagonal.';
const HOW_PRECISION =
  'Of the cases labelled positive, how many are positive (up); of the positives, how many are found (right). The ' +
  'thin line is the share of positives in these data: labels without information reach only that.';

/** @param {number} y */
const positiveShareText = y => (Number.isNaN(y) ? '?' : percentText(y));

export function rocPicture() {
  const picture = overlay('roc', {
    label: 'ROC curve',
    x: 'False positive rate',
    y: 'Sensitivity',
    baselines: ['chance'],
    point: (model, stop) => {
      const {tp, fp, positives, negatives} = model.counts[stop];
      const [rate, found] = [fp / negatives, tp / positives];
      const words = `sensitivity ${numberText(found)} and false positive rate ${numberText(rate)}`;
      return [rate, found, `At this threshold ${words}`];
    },
    around: (model, stop) => {
      const up = intervalAt(model, 'sensitivity', stop);
      return {across: intervalAt(model, 'false_positive_rate', stop), up, words: besideText('finds', up)};
    },
    say: (x, y, band) => `at a false positive rate of ${percentText(x)}: ${percentText(y)} found${band}`,
  });
  return figure('ROC curve', picture, HOW_ROC + bandWords('roc'));
}

export function precisionPicture() {
  const picture = overlay('precision_recall', {
    label: 'Precision-recall curve',
    x: 'Recall (share of positives found)',
    y: 'Precision',
    baselines: [],
    level: model => model.prevalence,
    point: (model, stop) => {
      const counts = model.counts[stop];
      const recall = counts.tp / counts.positives;
      const precision = METRIC.precision(counts);
      const words = `recall ${numberText(recall)} and precision ${numberText(precision)}`;
      return [recall, precision, `At this threshold ${words}`];
    },
    around: (model, stop) => {
      const up = intervalAt(model, 'precision', stop);
      return {across: intervalAt(model, 'sensitivity', stop), up, words: besideText('right', up)};
    },
    say: (x, y, band) =>
      `finding ${percentText(x)} of positives: ${positiveShareText(y)} of the flagged are positive${band}`,
  });
  return figure('Precision and recall', picture, HOW_PRECISION + bandWords('precision_recall'));
}
