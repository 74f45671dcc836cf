// The sections that every page can have, in their order.

import {cardSection} from './card.js';
import {comparisonSection} from './comparison.js';
import {costsSection} from './costs.js';
import {curvesSection} from './curves.js';
import {dataSection} from './data.js';
import {foldsSection} from './folds.js';
import {headlineSection} from './headline.js';
import {ledgerSection} from './ledger.js';
import {prevalenceSection} from './prevalence.js';
import {resolutionSection} from './resolution.js';
import {subgroupsSection} from './subgroups.js';
import {thresholdSection} from './threshold.js';

export const MODEL_SECTIONS = [
  headlineSection,
  foldsSection,
  subgroupsSection,
  thresholdSection,
  prevalenceSection,
  cardSection,
  costsSection,
  curvesSection,
  comparisonSection,
  resolutionSection,
  ledgerSection,
  dataSection,
];
