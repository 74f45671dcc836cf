// How a verdict looks: good, bad, or open. Which one does is declared in Python, in policy.py.

import {VERDICT_TONES} from './formulas.js';

/** @import {Named} from './types' */

/** The page's looks. @type {Named<string | undefined>} */
const LOOKS = {good: 'better', bad: 'worse', open: 'cannot-tell'};

/** @param {string} verdict */
export const verdictTone = verdict => LOOKS[VERDICT_TONES[verdict] || ''] || '';
