// Where the script of a page begins that judges positives against negatives.

import {drawPage} from './page.js';
import {findingsSection} from './sections/findings.js';
import {firstSection} from './sections/first.js';
import {MODEL_SECTIONS} from './sections/of_models.js';

drawPage([firstSection, ...MODEL_SECTIONS, findingsSection]);
