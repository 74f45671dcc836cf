// What looking at the best cases first gains; precision and recall on scales where 0 is the prevalence.

import {figure} from '../figures.js';
import {percentText} from '../text.js';
import {bandWords, besideText, intervalAt, overlay} from './overlay.js';

const HOW_GAIN =
  'If there is time to look at only some cases: how many of the positives are among them. The thin lines are a ' +
  'random order and a perfect one.';
const HOW_PRECISION_GAIN =
  'Precision and recall on scales where 0 is the prevalence and 1 is perfect: straight lines and areas have a ' +
  'meaning there.';

export function gainPicture() {
  const picture = overlay('gain', {
    label: 'Cumulative gain',
    x: 'Share of cases looked at, best first',
    y: 'Share of positives found',
    baselines: ['chance', 'perfect'],
    point: (model, stop) => {
      const {tp, positives, labelled_positive, total} = model.counts[stop];
      const [seen, found] = [labelled_positive / total, tp / positives];
      const words = `Looking at ${percentText(seen)} of the cases finds ${percentText(found)} of the positives`;
      return [seen, found, words];
    },
    around: (model, stop) => {
      const up = intervalAt(model, 'sensitivity', stop);
      return {across: intervalAt(model, 'queue_rate', stop), up, words: besideText('finds', up)};
    },
    say: (x, y) => `looking at the best ${percentText(x)} finds ${percentText(y)} of the positives`,
  });
  return figure('Gain', picture, HOW_GAIN + bandWords('gain'));
}

export function precisionGainPicture() {
  const picture = overlay('precision_recall_gain', {
    label: 'Precision-recall gain curve',
    x: 'Recall gain',
    y: 'Precision gain',
    baselines: ['chance'],
  });
  return figure('Precision-recall gain', picture, HOW_PRECISION_GAIN + bandWords('precision_recall_gain'));
}
