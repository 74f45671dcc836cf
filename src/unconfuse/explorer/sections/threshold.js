// Move the threshold: every picture and number of this section follows the slider.

import {howToRead, html, remark} from '../elements.js';
import {decisionTable} from '../pictures/decision_table.js';
import {indistinguishablePicture} from '../pictures/indistinguishable.js';
import {mosaicPicture} from '../pictures/mosaic.js';
import {precisionPicture, rocPicture} from '../pictures/rates.js';
import {scoresPicture} from '../pictures/scores.js';
import {trendPicture} from '../pictures/trend.js';
import {MODELS} from '../models.js';

/** @import {Section} from '../types' */

const HOW_THRESHOLD =
  'A case is called positive if its score is at least the threshold. Drag the slider at the top of the page (or use ' +
  'the arrow keys): every picture and number here follows. Lower thresholds find more positives and raise more false ' +
  'alarms.';

/** @type {Section} */
export const thresholdSection = {
  id: 'threshold',
  title: 'Move the threshold',
  short: 'Threshold',
  when: () => MODELS.length > 0,
  build: root => {
    const {scored, histogram, curves, b} = MODELS[0];
    root.append(howToRead(scored ? HOW_THRESHOLD : 'Only four counts are known, so there is one threshold.'));
    if (scored && MODELS[0].start_words) root.append(remark(MODELS[0].start_words));
    const pictures = [
      scored && histogram && scoresPicture(),
      mosaicPicture(),
      ...(scored && curves.roc ? [rocPicture(), precisionPicture()] : []),
      scored && trendPicture(),
      scored && b && indistinguishablePicture(),
    ];
    root.append(html('div', {class: 'grid'}, pictures), decisionTable());
  },
};
