//! The standards that packages follow: the file that a platform reads first, as a template, and what stands in it.
//!
//! A template holds `@{name}`; `pack.js` fills the same templates by the same rules.

/// A standard.
pub(super) struct Standard {
    /// Its name in files and words.
    pub(super) id: &'static str,
    /// The file that a platform reads first.
    pub(super) manifest: &'static str,
    /// What stands in that file.
    pub(super) template: &'static str,
    /// What is said there of each file of the package.
    pub(super) file: &'static str,
    /// What is said there where something is scored.
    pub(super) scored: &'static str,
    /// The same where nothing is.
    pub(super) unscored: &'static str,
    /// The script that speaks with the platform.
    pub(super) script: &'static str,
    /// What the launch page may connect to, beside its own files.
    pub(super) connect: &'static str,
}

/// # Source
///
/// SCORM 1.2 Content Aggregation Model, 2.3; IMS Content Packaging 1.1.2.
const SCORM_12: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<manifest identifier="memory-wall-@{id}" version="1.0" xmlns="http://www.imsproject.org/xsd/imscp_rootv1p1p2" xmlns:adlcp="http://www.adlnet.org/xsd/adlcp_rootv1p2">
<metadata><schema>ADL SCORM</schema><schemaversion>1.2</schemaversion></metadata>
<organizations default="organization"><organization identifier="organization"><title>@{title}</title>
<item identifier="item" identifierref="resource" isvisible="true"><title>@{title}</title>@{scored}</item>
</organization></organizations>
<resources><resource identifier="resource" type="webcontent" adlcp:scormtype="sco" href="launch.html">
@{files}</resource></resources>
</manifest>
"#;

/// # Source
///
/// SCORM 2004 Content Aggregation Model, 3.4 and 5.1, in the 3rd and 4th edition, which differ here in the name of the version.
macro_rules! scorm_2004 {
    ($edition:literal) => {
        concat!(
            r#"<?xml version="1.0" encoding="UTF-8"?>
<manifest identifier="memory-wall-@{id}" version="1" xmlns="http://www.imsglobal.org/xsd/imscp_v1p1" xmlns:adlcp="http://www.adlnet.org/xsd/adlcp_v1p3" xmlns:imsss="http://www.imsglobal.org/xsd/imsss">
<metadata><schema>ADL SCORM</schema><schemaversion>2004 "#,
            $edition,
            r#" Edition</schemaversion></metadata>
<organizations default="organization"><organization identifier="organization"><title>@{title}</title>
<item identifier="item" identifierref="resource"><title>@{title}</title>
<imsss:sequencing>@{scored}<imsss:deliveryControls completionSetByContent="true" objectiveSetByContent="true"/></imsss:sequencing></item>
<imsss:sequencing><imsss:controlMode choice="true" flow="true"/></imsss:sequencing>
</organization></organizations>
<resources><resource identifier="resource" type="webcontent" adlcp:scormType="sco" href="launch.html">
@{files}</resource></resources>
</manifest>
"#
        )
    };
}

/// # Source
///
/// cmi5, Quartz (1st edition), 13: the course structure, one assignable unit in one course.
const CMI5: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<courseStructure xmlns="https://w3id.org/xapi/profiles/cmi5/v1/CourseStructure.xsd">
<course id="@{activity}#course"><title><langstring lang="@{language}">@{title}</langstring></title><description><langstring lang="@{language}">@{title}</langstring></description></course>
<au id="@{activity}" launchMethod="AnyWindow"@{scored}><title><langstring lang="@{language}">@{title}</langstring></title><description><langstring lang="@{language}">@{title}</langstring></description><url>launch.html</url></au>
</courseStructure>
"#;

const OBJECTIVE: &str = r#"<imsss:objectives><imsss:primaryObjective objectiveID="score" satisfiedByMeasure="true"><imsss:minNormalizedMeasure>@{measure}</imsss:minNormalizedMeasure></imsss:primaryObjective></imsss:objectives>"#;

const FILE: &str = "<file href=\"@{file}\"/>\n";

/// All of them, in the order in which they are offered.
pub(super) const STANDARDS: [Standard; 4] = [
    Standard {
        id: "scorm12",
        manifest: "imsmanifest.xml",
        template: SCORM_12,
        file: FILE,
        // A platform that is told the mastery score judges every visit by it, the first one after a single answer too.
        scored: "",
        unscored: "",
        script: "kit/scorm.js",
        connect: "",
    },
    Standard {
        id: "scorm2004-3",
        manifest: "imsmanifest.xml",
        template: scorm_2004!("3rd"),
        file: FILE,
        scored: OBJECTIVE,
        unscored: "",
        script: "kit/scorm.js",
        connect: "",
    },
    Standard {
        id: "scorm2004-4",
        manifest: "imsmanifest.xml",
        template: scorm_2004!("4th"),
        file: FILE,
        scored: OBJECTIVE,
        unscored: "",
        script: "kit/scorm.js",
        connect: "",
    },
    Standard {
        id: "cmi5",
        manifest: "cmi5.xml",
        template: CMI5,
        // A course structure lists no files.
        file: "",
        scored: " moveOn=\"Passed\" masteryScore=\"@{measure}\"",
        unscored: " moveOn=\"Completed\"",
        script: "kit/cmi5.js",
        // Where the platform keeps its records is not known before it opens the page.
        connect: " https: http:",
    },
];
