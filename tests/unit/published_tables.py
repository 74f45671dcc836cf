"""Published 2x2 tables: worked examples of textbooks, papers, lecture notes and package documentation."""

# Source: TP, FP, FN, TN.
TABLES = {
    "Altman & Bland (1994), liver scans": (231, 32, 27, 54),
    "epiR, epi.tests": (670, 202, 74, 640),
    "encyclopedia, faecal occult blood, and caret": (20, 180, 10, 1820),
    "caret output, recognising gender": (55, 24, 64, 383),
    "blorr, model validation": (37, 22, 16, 125),
    "yardstick, two_class_example": (227, 50, 31, 192),
    "lecture notes, antibody test": (141, 0, 67, 31),
    "lecture notes, always negative": (0, 0, 10, 990),
    "Demortier, a useless test": (100, 899, 0, 1),
    "Demortier, a misleading test": (5, 60, 45, 90),
    "lectures, a good fraud detector": (80, 5, 20, 895),
    "lectures, a precise fraud detector": (10, 1, 90, 899),
    "lectures, cats at 25%": (2, 1, 0, 1),
    "lectures, cats at 50%": (1, 1, 1, 1),
    "lectures, cats at 75%": (1, 0, 1, 2),
    "lectures, roulette": (1, 37, 0, 0),
    "statistics exercise, PSA of 237 patients": (92, 27, 46, 72),
    "epidemiology homework, PSA of 200 men": (86, 67, 14, 33),
    "exercise, PSA of 100,000 men": (281, 405, 45, 99269),
    "examination question, palpation": (1800, 800, 700, 4200),
    "school of public health, breast cancer screening": (132, 983, 45, 63650),
    "bootLR, confusionStatistics": (25, 30, 25, 45),
    "epidemr, epi_tests": (80, 1, 20, 99),
    "course assignment, 800 persons": (40, 60, 10, 690),
    "exercise, sensitivity 96.2%": (499, 40, 20, 214),
    "tutorial, recurrence by a tree": (10, 13, 75, 188),
    "tutorial, all no recurrence": (0, 0, 85, 201),
    "tutorial, all recurrence": (85, 201, 0, 0),
    "encyclopedia, dogs among cats": (5, 3, 7, 7),
    "encyclopedia, cancer in 12 people": (6, 1, 2, 3),
    "encyclopedia, Cohen's kappa": (20, 5, 10, 15),
    "scikit-learn, matthews_corrcoef": (2, 1, 1, 0),
    "scikit-learn, balanced_accuracy_score": (1, 1, 1, 3),
    "scikit-learn, class_likelihood_ratios": (1, 1, 1, 2),
    "scikit-learn, confusion_matrix": (1, 2, 1, 0),
    "natural frequencies, mammography of 1,000": (8, 70, 2, 920),
    "Eddy (1982), as natural frequencies": (8, 95, 2, 895),
    "crash course, 100 tumours": (1, 1, 8, 90),
    "crash course, spam": (8, 2, 3, 17),
    "crash course, spam at a higher threshold": (7, 1, 4, 18),
    "crash course, spam at a lower threshold": (9, 3, 2, 16),
}

# What was printed beside some of them, digit by digit.
PRINTED = {
    "Altman & Bland (1994), liver scans": {
        "positives": 258, "negatives": 86, "sensitivity": "0.90", "specificity": "0.63", "ppv": "0.88", "npv": "0.67",
    },
    "epiR, epi.tests": {
        "n": 1586, "sensitivity": "0.90", "specificity": "0.76", "ppv": "0.77", "npv": "0.90", "lr+": "3.75",
        "lr-": "0.13", "prevalence": "0.47", "labelled_positive": 872,
    },
    "encyclopedia, faecal occult blood, and caret": {
        "n": 2030, "accuracy": "0.9064", "accuracy_low": "0.8929", "accuracy_high": "0.9187", "kappa": "0.1521",
        "sensitivity": "0.666667", "specificity": "0.910000", "ppv": "0.100000", "npv": "0.994536",
        "prevalence": "0.014778", "balanced_accuracy": "0.788333", "null_accuracy": "0.9852",
    },
    "caret output, recognising gender": {
        "n": 526, "accuracy": "0.8327", "accuracy_low": "0.798", "accuracy_high": "0.8636", "kappa": "0.4576",
        "sensitivity": "0.4622", "specificity": "0.9410", "ppv": "0.6962", "npv": "0.8568", "prevalence": "0.2262",
        "joint_true_positive": "0.1046", "selection_rate": "0.1502", "balanced_accuracy": "0.7016",
    },
    "blorr, model validation": {
        "n": 200, "accuracy": "0.8100", "kappa": "0.5293", "sensitivity": "0.6981", "specificity": "0.8503",
        "ppv": "0.6271", "npv": "0.8865", "prevalence": "0.2650", "balanced_accuracy": "0.7742",
    },
    "yardstick, two_class_example": {
        "n": 500, "accuracy": "0.838", "kappa": "0.675", "sensitivity": "0.880", "specificity": "0.793",
        "f1": "0.849", "mcc": "0.677", "youden_j": "0.673", "ppv": "0.819", "npv": "0.861",
    },
    "lecture notes, antibody test": {"n": 239, "accuracy": "0.7196652", "precision": "1", "specificity": "1"},
    "school of public health, breast cancer screening": {
        "positives": 177, "negatives": "64,633", "sensitivity": "74.6%", "specificity": "98.5%", "ppv": "11.8%",
    },
    "course assignment, 800 persons": {
        "n": 800, "ppv": "0.4", "npv": "0.986", "sensitivity": "0.8", "specificity": "0.92", "labelled_positive": 100,
    },
    "exercise, sensitivity 96.2%": {
        "positives": 519, "negatives": 254, "sensitivity": "96.15%", "specificity": "84.25%", "ppv": "92.57%",
    },
    "tutorial, all no recurrence": {"n": 286, "accuracy": "70.28%", "sensitivity": "0", "positives": 85},
    "scikit-learn, matthews_corrcoef": {"n": 4, "mcc": "-0.33"},
    "scikit-learn, balanced_accuracy_score": {"n": 6, "balanced_accuracy": "0.625"},
    "scikit-learn, class_likelihood_ratios": {"n": 5, "lr_positive": "1.5", "lr_negative": "0.75"},
    "epidemiology homework, PSA of 200 men": {"n": 200, "positives": 100, "sensitivity": "86%", "specificity": "33%"},
    "crash course, 100 tumours": {"n": 100, "accuracy": "0.91", "precision": "0.5", "recall": "0.11"},
    "crash course, spam": {"n": 30, "precision": "0.8", "recall": "0.73"},
    "crash course, spam at a higher threshold": {"n": 30, "precision": "0.88", "recall": "0.64"},
    "crash course, spam at a lower threshold": {"n": 30, "precision": "0.75", "recall": "0.82"},
}  # fmt: skip
