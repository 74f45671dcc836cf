// What the page calls positives and cases: as its maker said, or in general words.

import {payload} from './payload.js';

const GIVEN = payload.words || {positive: '', unit: '', label: ''};

/** What a positive is: an adjective, or a noun before another. */
export const POSITIVE = GIVEN.positive || 'positive';
/** What cases are, in the plural. */
export const UNIT = GIVEN.unit || 'cases';
/** The label that means positive, where it is known. */
export const POSITIVE_LABEL = GIVEN.label;

/** Cases that are positive. */
export const POSITIVES = GIVEN.positive ? `${GIVEN.positive} ${UNIT}` : 'positives';
/** Cases that are not. */
export const NEGATIVES = GIVEN.positive ? 'others' : 'negatives';
