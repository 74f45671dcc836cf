// The sections that every page can have, in their order; those with an `about` are folded, for the statistician.

import {alikeSection} from './alike.js';
import {calibrationSection} from './calibration.js';
import {cardSection} from './card.js';
import {comparisonSection} from './comparison.js';
import {curvesSection} from './curves.js';
import {dataSection} from './data.js';
import {decisionsSection} from './decisions.js';
import {foldsSection} from './folds.js';
import {headlineSection} from './headline.js';
import {ledgerSection} from './ledger.js';
import {netBenefitsSection} from './net_benefits.js';
import {elsewhereSection, prevalenceSection} from './prevalence.js';
import {resolutionSection} from './resolution.js';
import {sitesSection} from './sites.js';
import {gapsSection, subgroupsSection} from './subgroups.js';
import {thresholdSection} from './threshold.js';

export const MODEL_SECTIONS = [
  comparisonSection,
  subgroupsSection,
  sitesSection,
  thresholdSection,
  prevalenceSection,
  headlineSection,
  decisionsSection,
  curvesSection,
  calibrationSection,
  alikeSection,
  elsewhereSection,
  cardSection,
  foldsSection,
  gapsSection,
  netBenefitsSection,
  resolutionSection,
  ledgerSection,
  dataSection,
];
