"""The items of three reporting guidelines in our own words: number, topic, what the author is asked.

`settled` names what the data can answer (a function of `checklist`); without it an item is a question to the author.
"""

from __future__ import annotations

from typing import NamedTuple


class GuidelineItem(NamedTuple):
    """One item of a guideline."""

    number: str
    topic: str
    question: str
    settled: str = ""
    fully: bool = False  # whether nothing is left to the author where the data answer


class Guideline(NamedTuple):
    """A reporting guideline, and where it was published."""

    title: str
    source: str
    items: tuple[GuidelineItem, ...]


STARD = Guideline(
    "STARD 2015",
    "Bossuyt PM, Reitsma JB, Bruns DE, et al. STARD 2015: an updated list of essential items for reporting diagnostic "
    "accuracy studies. BMJ 2015;351:h5527.",
    (
        GuidelineItem(
            "1", "Title", "Does the title name a measure of accuracy, such as sensitivity or AUROC?", "measures"
        ),
        GuidelineItem("2", "Abstract", "Is there a structured summary of design, methods, results and conclusions?"),
        GuidelineItem(
            "3", "Background", "What is the test meant for, and where in the clinical pathway does it stand?"
        ),
        GuidelineItem("4", "Objectives", "Which objectives and hypotheses were set?"),
        GuidelineItem(
            "5", "Study design", "Were data collected before or after the index test and the reference were done?"
        ),
        GuidelineItem("6", "Eligibility", "Who could take part, and who could not?"),
        GuidelineItem(
            "7", "Identification", "How were eligible participants found (symptoms, earlier tests, a registry)?"
        ),
        GuidelineItem("8", "Setting", "Where and when were they found?"),
        GuidelineItem("9", "Sampling", "Was the series consecutive, random or of convenience?", "design"),
        GuidelineItem("10a", "Index test", "How is the index test done, in enough detail to repeat it?"),
        GuidelineItem(
            "10b", "Reference standard", "How is the reference standard done, in enough detail to repeat it?"
        ),
        GuidelineItem("11", "Choice of reference", "Why this reference standard, if there are others?"),
        GuidelineItem("12a", "Cut-off of the index test", "Why this cut-off, and was it set beforehand?", "threshold"),
        GuidelineItem(
            "12b", "Cut-off of the reference", "What counts as positive by the reference standard, and why?", "labels"
        ),
        GuidelineItem(
            "13a", "Blinding, index test", "Did those who read the index test know the reference or the history?"
        ),
        GuidelineItem(
            "13b", "Blinding, reference", "Did those who set the reference know the index test or the history?"
        ),
        GuidelineItem("14", "Analysis", "How were accuracy and its uncertainty estimated?", "methods", fully=True),
        GuidelineItem("15", "Indeterminate results", "How were indeterminate results of either test handled?"),
        GuidelineItem("16", "Missing data", "How were missing results handled, and why are they missing?", "missing"),
        GuidelineItem("17", "Variability", "Which analyses of subgroups were planned beforehand?", "subgroups"),
        GuidelineItem("18", "Sample size", "Which sample size was intended, and how was it found?", "size"),
        GuidelineItem("19", "Flow", "Who was approached, and who dropped out before these rows were recorded?", "flow"),
        GuidelineItem("20", "Characteristics", "What are the participants' demographic and clinical characteristics?"),
        GuidelineItem("21a", "Severity", "How severe is the condition in those who have it?"),
        GuidelineItem("21b", "Other diagnoses", "Which other diagnoses have those without the condition?"),
        GuidelineItem(
            "22", "Interval between tests", "How long lay between the tests, and was anything done meanwhile?"
        ),
        GuidelineItem("23", "Cross tabulation", "How do labels and truth agree, in counts?", "table", fully=True),
        GuidelineItem("24", "Estimates", "How accurate is the test, and how sure is that?", "estimates", fully=True),
        GuidelineItem("25", "Harm", "Did either test do harm?"),
        GuidelineItem("26", "Limitations", "What may bias the results, and to whom do they apply?"),
        GuidelineItem("27", "Implications", "What follows for practice?"),
        GuidelineItem("28", "Registration", "Where was the study registered, under which number?"),
        GuidelineItem("29", "Protocol", "Where can the full protocol be read?"),
        GuidelineItem("30", "Funding", "Who paid, and what part did they have?"),
    ),
)

TRIPOD_AI = Guideline(
    "TRIPOD+AI 2024",
    "Collins GS, Moons KGM, Dhiman P, et al. TRIPOD+AI statement: updated guidance for reporting clinical prediction "
    "models that use regression or machine learning methods. BMJ 2024;385:e078378.",
    (
        GuidelineItem(
            "1", "Title", "Does the title say whether a model is developed or evaluated, for whom and for what?"
        ),
        GuidelineItem("2", "Abstract", "Does the abstract follow TRIPOD+AI for abstracts?"),
        GuidelineItem(
            "3a", "Context", "What is the health problem, and why is a model needed beside those that exist?"
        ),
        GuidelineItem("3b", "Intended use", "For whom, where in the pathway and for which users is the model meant?"),
        GuidelineItem("3c", "Inequalities", "Which inequalities in health between groups are known?"),
        GuidelineItem("4", "Objectives", "Is the aim to develop a model, to evaluate one, or both?"),
        GuidelineItem("5a", "Source of data", "Where do the data come from, and whom do they represent?", "source"),
        GuidelineItem("5b", "Dates", "When were participants recruited, and when did follow-up end?"),
        GuidelineItem("6a", "Setting", "In which setting, at how many places?"),
        GuidelineItem("6b", "Eligibility", "Who could take part?"),
        GuidelineItem("6c", "Treatments", "Which treatments were given, and how were they handled?"),
        GuidelineItem("7", "Data preparation", "How were data cleaned, and was that alike for all groups?"),
        GuidelineItem("8a", "Outcome", "What is predicted, over which time, and how was it measured?", "labels"),
        GuidelineItem("8b", "Outcome by judgement", "If the outcome needs judgement, who made it?"),
        GuidelineItem("8c", "Blinding", "Did those who assessed the outcome know the predictions?"),
        GuidelineItem("9a", "Choice of predictors", "Which predictors were considered, and why?"),
        GuidelineItem("9b", "Definition of predictors", "How and when was each predictor measured?"),
        GuidelineItem("9c", "Predictors by judgement", "If predictors need judgement, who made it?"),
        GuidelineItem("10", "Sample size", "How was the size of the study found?", "size"),
        GuidelineItem("11", "Missing data", "How were missing values handled, and why are they missing?", "missing"),
        GuidelineItem("12a", "Use of data", "How were data divided between development and evaluation?", "folds"),
        GuidelineItem("12b", "Handling of predictors", "How did predictors enter the model?"),
        GuidelineItem("12c", "Model", "Which kind of model, why, and how was it built and checked internally?"),
        GuidelineItem("12d", "Heterogeneity", "How were differences between clusters handled?", "clusters"),
        GuidelineItem(
            "12e", "Performance measures", "Which measures and plots were used, and why?", "methods", fully=True
        ),
        GuidelineItem("12f", "Updating", "Was the model updated, and how?"),
        GuidelineItem(
            "12g", "Predictions", "How were the predictions under evaluation computed (formula, code, service)?"
        ),
        GuidelineItem(
            "13", "Class imbalance", "Was anything done about rare outcomes, and were probabilities recalibrated?"
        ),
        GuidelineItem("14", "Fairness", "What was done for fairness, and why?"),
        GuidelineItem("15", "Output", "What does the model give out, and where is it cut into classes?", "threshold"),
        GuidelineItem(
            "16", "Development vs evaluation", "How do the data differ from those the model was developed on?"
        ),
        GuidelineItem("17", "Ethics", "Who approved the study, and how was consent obtained?"),
        GuidelineItem("18a", "Funding", "Who paid, and what part did they have?"),
        GuidelineItem("18b", "Conflicts of interest", "Which interests do the authors declare?"),
        GuidelineItem("18c", "Protocol", "Where can the protocol be read?"),
        GuidelineItem("18d", "Registration", "Where was the study registered?"),
        GuidelineItem("18e", "Data sharing", "Where are the data?"),
        GuidelineItem("18f", "Code sharing", "Where is the code?", "software"),
        GuidelineItem("19", "Patients and public", "How were patients and the public involved?"),
        GuidelineItem(
            "20a", "Flow", "Who was approached, and who was left out before these rows were recorded?", "flow"
        ),
        GuidelineItem(
            "20b", "Characteristics", "What are the participants' characteristics, and where do values lack?"
        ),
        GuidelineItem(
            "20c", "Comparison with development", "How do the predictors' distributions differ from development?"
        ),
        GuidelineItem(
            "21", "Events", "How many participants and outcome events had each analysis?", "events", fully=True
        ),
        GuidelineItem("22", "Full model", "Where is the whole model, for others to use?"),
        GuidelineItem(
            "23a", "Performance", "How well does it predict, with intervals, also in key subgroups?", "estimates"
        ),
        GuidelineItem("23b", "Heterogeneity in performance", "How does performance differ between clusters?"),
        GuidelineItem("24", "Results of updating", "What became of performance after updating?"),
        GuidelineItem("25", "Interpretation", "What do the results mean, also for fairness?"),
        GuidelineItem("26", "Limitations", "What may bias the results, and to whom do they apply?"),
        GuidelineItem("27a", "Poor input", "What should be done where inputs are of poor quality or missing?"),
        GuidelineItem("27b", "Users", "What must users know and do to apply it?"),
        GuidelineItem("27c", "Next steps", "What should be studied next?"),
    ),
)

CLAIM = Guideline(
    "CLAIM 2020",
    "Mongan J, Moy L, Kahn CE Jr. Checklist for Artificial Intelligence in Medical Imaging (CLAIM): a guide for "
    "authors and reviewers. Radiol Artif Intell 2020;2:e200029.",
    (
        GuidelineItem("1", "Title", "Does the title or abstract name the kind of AI method?"),
        GuidelineItem("2", "Abstract", "Is there a structured summary of design, methods, results and conclusions?"),
        GuidelineItem("3", "Background", "What is the method meant for, and what is its clinical role?"),
        GuidelineItem("4", "Objectives", "Which aims and hypotheses were set?"),
        GuidelineItem("5", "Design", "Is the study prospective or retrospective?", "design"),
        GuidelineItem("6", "Goal", "Is the goal a new model, an exploration, feasibility or non-inferiority?"),
        GuidelineItem("7", "Data sources", "Where do the data come from?", "source"),
        GuidelineItem("8", "Eligibility", "Who was eligible, where and when, and how were they found?"),
        GuidelineItem("9", "Preprocessing", "How were the data prepared?"),
        GuidelineItem("10", "Subsets", "Were parts of the data selected, and how?"),
        GuidelineItem("11", "Data elements", "How are the data elements defined?"),
        GuidelineItem("12", "De-identification", "How was identity removed?"),
        GuidelineItem("13", "Missing data", "How were missing data handled, and why are they missing?", "missing"),
        GuidelineItem(
            "14", "Reference standard", "What is the reference standard, in enough detail to repeat it?", "labels"
        ),
        GuidelineItem("15", "Choice of reference", "Why this reference standard?"),
        GuidelineItem("16", "Annotators", "Who annotated, and how were they prepared?"),
        GuidelineItem("17", "Annotation tools", "Which tools did they use?"),
        GuidelineItem(
            "18", "Agreement of annotators", "How far did annotators agree, and how were disagreements settled?"
        ),
        GuidelineItem("19", "Sample size", "Which sample size was intended, and how was it found?", "size"),
        GuidelineItem("20", "Partitions", "How were data assigned to partitions?", "folds"),
        GuidelineItem(
            "21", "Level of partitions", "At which level are partitions disjoint (image, study, patient)?", "clusters"
        ),
        GuidelineItem("22", "Model", "What is the model, with inputs, outputs and layers?"),
        GuidelineItem("23", "Libraries", "Which software was used, in which versions?", "software"),
        GuidelineItem("24", "Initial parameters", "How were parameters initialised?"),
        GuidelineItem("25", "Training", "How was it trained (augmentation, hyperparameters, number of models)?"),
        GuidelineItem("26", "Final model", "How was the final model selected?"),
        GuidelineItem("27", "Ensembles", "Were models combined, and how?"),
        GuidelineItem("28", "Performance metrics", "Which metrics were used?", "measures", fully=True),
        GuidelineItem(
            "29", "Uncertainty", "Which measures of significance and uncertainty were used?", "methods", fully=True
        ),
        GuidelineItem("30", "Robustness", "Was robustness or sensitivity to assumptions analysed?"),
        GuidelineItem("31", "Explainability", "How were decisions explained, and was that validated?"),
        GuidelineItem("32", "External data", "Was it tested on data from elsewhere?"),
        GuidelineItem("33", "Flow", "Who was left out before these rows were recorded?", "flow"),
        GuidelineItem(
            "34", "Characteristics", "What are the demographic and clinical characteristics of each partition?"
        ),
        GuidelineItem(
            "35", "Performance", "How well does it perform on all partitions, compared with which benchmark?", "events"
        ),
        GuidelineItem("36", "Accuracy and precision", "How accurate is it, with intervals?", "estimates", fully=True),
        GuidelineItem("37", "Failures", "Which cases were labelled wrongly, and why?", "table"),
        GuidelineItem("38", "Limitations", "What may bias the results, and to whom do they apply?"),
        GuidelineItem("39", "Implications", "What follows for practice?"),
        GuidelineItem("40", "Registration", "Where was the study registered, under which number?"),
        GuidelineItem("41", "Protocol", "Where can the full protocol be read?"),
        GuidelineItem("42", "Funding", "Who paid, and what part did they have?"),
    ),
)
