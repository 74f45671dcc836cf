// Where the script of a page begins that judges positives against negatives.

import {drawPage} from './page.js';
import {findingsSection} from './sections/findings.js';
import {MODEL_SECTIONS} from './sections/of_models.js';

drawPage([findingsSection, ...MODEL_SECTIONS]);
