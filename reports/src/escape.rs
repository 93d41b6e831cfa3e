//! One escape function for each markup. Labels come from users' files, and a file may come from a stranger: nothing
//! in a label can end a cell, open a tag, start a command or move a cursor.

use dwsim_sim::model::label::is_hostile;

/// For a terminal and every other plain text: control characters and those that reorder a line become `?`.
pub fn plain(text: &str) -> String {
    text.chars().map(|c| if is_hostile(c) { '?' } else { c }).collect()
}

/// For XML, SVG and HTML, in text and in quoted attributes alike.
pub fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' => out.push('\n'),
            c if is_hostile(c) => out.push('?'),
            c => out.push(c),
        }
    }
    out
}

/// For Markdown, in a paragraph and in a table's cell alike.
pub fn markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '~' | '!' | '@' => {
                out.push('\\');
                out.push(c);
            }
            c if is_hostile(c) => out.push('?'),
            c => out.push(c),
        }
    }
    out
}

/// For a block of code in Markdown: the text, and a fence that is longer than any run of backticks in it.
pub fn markdown_fence(text: &str) -> (String, String) {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let safe = text.lines().map(plain).collect::<Vec<_>>().join("\n");
    (safe, "`".repeat(longest.max(2) + 1))
}

/// For the message of a GitHub workflow command (`::error::MESSAGE`), whose own line breaks are kept.
pub fn github(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| plain(line).replace('%', "%25")).collect();
    lines.join("%0A")
}

/// For a property of a GitHub workflow command (`::error title=PROPERTY::`).
pub fn github_property(text: &str) -> String {
    github(text).replace(':', "%3A").replace(',', "%2C")
}

/// For a line of a Mermaid diagram, by the entity codes that Mermaid decodes itself.
pub fn mermaid(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '#' | ';' | '<' | '>' | '&' | '"' | '%' | ':' | '{' | '}' => {
                out.push_str(&format!("#{};", u32::from(c)));
            }
            c if is_hostile(c) => out.push('?'),
            c => out.push(c),
        }
    }
    out
}

/// For a shell: one word, quoted only where it must be.
pub fn shell(word: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || "-_./:=,+@%".contains(c);
    if !word.is_empty() && word.chars().all(bare) {
        return word.to_owned();
    }
    format!("'{}'", plain(word).replace('\'', r"'\''"))
}

/// For a shell: a path, as one word that no command takes for an option. `-` alone is stdin.
pub fn file(path: &str) -> String {
    let is_option = path.starts_with('-') && path != "-";
    if is_option { shell(&format!("./{path}")) } else { shell(path) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOSTILE: &str = "a\u{1b}[2J\n|`x`|<script>&\"'\u{202e}]]>::set-output%0A;--> end\u{0}";

    #[test]
    fn a_terminal_gets_no_control_characters() {
        assert!(!plain(HOSTILE).chars().any(char::is_control));
        assert!(!plain(HOSTILE).contains('\u{202e}'));
    }

    #[test]
    fn xml_opens_no_tag_and_ends_no_attribute() {
        let out = xml(HOSTILE);
        assert!(!out.contains(['<', '>', '"', '\'', '\u{1b}', '\u{0}']));
        assert!(out.contains("&lt;script&gt;&amp;&quot;&#39;"));
    }

    #[test]
    fn markdown_ends_no_cell_and_opens_no_code() {
        let out = markdown(HOSTILE);
        assert!(!out.contains('\n') && !out.contains('<'));
        for (i, c) in out.char_indices().filter(|(_, c)| "|`[]".contains(*c)) {
            assert_eq!(out[..i].chars().next_back(), Some('\\'), "bare {c} in {out}");
        }
    }

    #[test]
    fn a_fence_is_longer_than_any_run_of_backticks_inside() {
        assert_eq!(markdown_fence("plain").1, "```");
        assert_eq!(markdown_fence("a ```` b").1, "`````");
    }

    #[test]
    fn a_workflow_command_stays_one_line_and_its_properties_stay_one_property() {
        assert!(!github(HOSTILE).chars().any(char::is_control));
        assert_eq!(github("100%0A"), "100%250A");
        assert!(!github_property("a,title=b::c").contains([',', ':']));
    }

    #[test]
    fn mermaid_sees_no_arrow_comment_or_statement() {
        let out = mermaid("a;b%%c-->>d: e");
        assert_eq!(out, "a#59;b#37;#37;c--#62;#62;d#58; e");
    }

    #[test]
    fn a_shell_word_stays_one_word() {
        assert_eq!(shell("scenarios/zombie.ron"), "scenarios/zombie.ron");
        assert_eq!(shell("keyed, last 2"), "'keyed, last 2'");
        assert_eq!(shell("it's $(rm)"), r"'it'\''s $(rm)'");
        assert_eq!(shell(""), "''");
        assert_eq!(shell("a\nb"), "'a?b'");
    }

    #[test]
    fn a_path_is_no_option() {
        assert_eq!(file("-x.ron"), "./-x.ron");
        assert_eq!(file("-my stage.ron"), "'./-my stage.ron'");
        assert_eq!((file("-").as_str(), file("a/-x.ron").as_str()), ("-", "a/-x.ron"));
    }
}
