// The decision curve: net benefit for those who would act from a given probability on.

import {figure} from '../figures.js';
import {MODELS} from '../models.js';
import {number, numbers, numberText, percentText} from '../text.js';
import {bandWords, overlay} from './overlay.js';

const HOW_NET_BENEFIT =
  'Net benefit at each threshold probability. Acting on the labels has the larger net benefit where its line lies ' +
  'above both thin lines: acting on all, acting on none.';

/** Up to where any model, or acting on all, is worth anything: beyond, every line lies at nothing. */
function usefulUpTo() {
  const known = MODELS.flatMap(({curves: {decision_curve: curve}}) => (curve ? [curve] : []));
  const lines = known.flatMap(curve => [curve, ...Object.values(curve.baselines || {})]);
  const worth = lines.flatMap(({x, y}) => numbers(x).filter((_, i) => number(y[i]) > 1e-9));
  return Math.min(1, Math.max(...worth, 0.05) * 1.05);
}

export function decisionPicture() {
  const heights = MODELS.flatMap(({curves: {decision_curve: curve}}) =>
    curve ? numbers(curve.band?.high || curve.y) : [0],
  );
  const top = Math.max(...heights, 0.01);
  const picture = overlay('decision_curve', {
    label: 'Decision curve',
    x: 'Threshold probability',
    y: 'Net benefit per case',
    xHigh: usefulUpTo(),
    yLow: -0.2 * top,
    yHigh: 1.1 * top,
    baselines: ['treat_all', 'treat_none'],
    say: (x, y) => `acting from ${percentText(x)} on: net benefit ${numberText(y)}`,
  });
  return figure('Decision curve', picture, HOW_NET_BENEFIT + bandWords('decision_curve'));
}
