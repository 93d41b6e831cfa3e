//! The layers of this crate hold: each file imports only from the layers that its own may use, and no circle of imports
//! goes through more than two files. `src/lib.rs` says which layer may use which.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Each layer, with those that it may import from.
const LAYERS: [(&str, &[&str]); 6] = [
    ("model", &[]),
    ("text", &["model"]),
    ("engine", &["model"]),
    ("schedulers", &["model", "engine"]),
    ("search", &["model", "engine", "schedulers"]),
    ("analysis", &["model", "text", "engine", "schedulers", "search"]),
];

#[test]
fn each_file_imports_only_from_layers_that_its_own_may_use() {
    let sources = Sources::read(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src")));
    let layer = |file: &str| file.split("::").next().unwrap_or_default().to_owned();
    let mut wrong = Vec::new();
    for (file, imports) in sources.imports() {
        let own = layer(&file);
        // The root puts the layers together.
        let Some((_, may_use)) = LAYERS.iter().find(|(name, _)| *name == own) else {
            assert_eq!(file, "", "`{file}` is in no layer");
            continue;
        };
        let upward = imports.iter().filter(|to| layer(to) != own && !may_use.contains(&layer(to).as_str()));
        wrong.extend(upward.map(|to| format!("{file} imports {to}")));
    }
    assert_eq!(wrong, [""; 0], "move what is shared to a layer that both may use");
}

#[test]
fn no_circle_of_imports_goes_through_more_than_two_files() {
    let sources = Sources::read(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src")));
    assert!(sources.files.len() > 100, "the files of the crate were not found");
    let circles: Vec<Vec<String>> =
        circles(&sources.imports()).into_iter().filter(|files| files.len() > 2).collect();
    assert_eq!(circles, [[""; 0]; 0], "move what is shared to a file of its own");
}

#[test]
fn a_planted_circle_is_found_through_re_exports_and_parents() {
    let sources = Sources::of([
        ("", "mod a; mod b; mod c;"),
        ("a", "mod inner; pub use inner::Thing; use crate::b::Other;"),
        ("a::inner", "use super::Maker; pub struct Thing;"),
        ("b", "pub struct Other; fn f() -> crate::c::Third { todo() }"),
        ("c", "// use crate::b::Other;\nuse crate::a::{self as x, Thing}; pub struct Third;"),
    ]);
    let imports = sources.imports();
    assert_eq!(imports["c"], BTreeSet::from(["a".to_owned(), "a::inner".to_owned()]));
    assert_eq!(circles(&imports), [["a", "a::inner", "b", "c"]]);
}

/// The files of a crate by their module path (`engine::rules`; empty for the root), without comments and tests.
struct Sources {
    files: BTreeMap<String, String>,
}

impl Sources {
    fn of<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Sources {
        let files = files.into_iter().map(|(module, text)| (module.to_owned(), code_of(text))).collect();
        Sources { files }
    }

    fn read(root: &Path) -> Sources {
        fn walk(folder: &Path, module: &str, files: &mut BTreeMap<String, String>) {
            for entry in fs::read_dir(folder).expect("a folder of sources") {
                let path = entry.expect("an entry").path();
                let name = path.file_stem().and_then(|n| n.to_str()).expect("a name").to_owned();
                let inner = if module.is_empty() { name.clone() } else { format!("{module}::{name}") };
                if path.is_dir() {
                    walk(&path, &inner, files);
                } else {
                    let module = if name == "mod" || name == "lib" { module.to_owned() } else { inner };
                    files.insert(module, code_of(&fs::read_to_string(&path).expect("a source file")));
                }
            }
        }
        let mut files = BTreeMap::new();
        walk(root, "", &mut files);
        Sources { files }
    }

    /// For each file, the files that define what it uses.
    fn imports(&self) -> BTreeMap<String, BTreeSet<String>> {
        let of = |(module, code): (&String, &String)| {
            let used = paths(code).into_iter().filter(|path| !path.is_public);
            let files = used
                .filter_map(|path| self.absolute(module, &path.path))
                .filter_map(|path| self.definer(&path, 0))
                .filter(|file| file != module)
                .collect();
            (module.clone(), files)
        };
        self.files.iter().map(of).collect()
    }

    /// A path as seen from the root of the crate; none where it leads to another crate.
    fn absolute(&self, module: &str, path: &str) -> Option<String> {
        let mut base: Vec<&str> = module.split("::").filter(|part| !part.is_empty()).collect();
        let mut parts = path.split("::").peekable();
        match *parts.peek()? {
            "crate" => {
                base.clear();
                parts.next();
            }
            "self" => drop(parts.next()),
            "super" => {
                while parts.next_if_eq(&"super").is_some() {
                    base.pop();
                }
            }
            child if self.files.contains_key(&join(&base, child)) => {}
            _ => return None,
        }
        base.extend(parts);
        Some(base.join("::"))
    }

    /// The file that defines what a path names, through re-exports.
    fn definer(&self, path: &str, depth: usize) -> Option<String> {
        let parts: Vec<&str> = path.split("::").filter(|part| !part.is_empty()).collect();
        let split = (0..=parts.len()).rev().find(|n| self.files.contains_key(&parts[..*n].join("::")))?;
        let (file, code) = self.files.get_key_value(&parts[..split].join("::"))?;
        let Some(name) = parts.get(split).filter(|name| **name != "self" && **name != "*") else {
            return Some(file.clone());
        };
        if depth > 8 || defines(code, name) {
            return Some(file.clone());
        }
        let exported = paths(code).into_iter().filter(|p| p.is_public).find_map(|p| {
            let (before, last) = p.path.rsplit_once("::")?;
            let target = if last == "*" { format!("{before}::{name}") } else { p.path.clone() };
            (last == *name || last == "*").then(|| self.absolute(file, &target)).flatten()
        });
        exported.and_then(|target| self.definer(&target, depth + 1)).or_else(|| Some(file.clone()))
    }
}

fn join(base: &[&str], child: &str) -> String {
    base.iter().copied().chain([child]).collect::<Vec<_>>().join("::")
}

/// A text without line comments, and without the tests that close a file.
fn code_of(text: &str) -> String {
    let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    code.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// Whether a file has an item of this name.
fn defines(code: &str, name: &str) -> bool {
    let words: Vec<&str> = code.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    let kinds = ["struct", "enum", "trait", "fn", "const", "type", "static", "mod", "macro_rules"];
    words.windows(2).any(|pair| kinds.contains(&pair[0]) && pair[1] == name)
        || code.contains(&format!("macro_rules! {name}"))
}

/// A path that a file names, and whether it names it to pass it on.
struct Named {
    path: String,
    is_public: bool,
}

/// The paths of a file: what it imports, and what it names in full or by a child module.
fn paths(code: &str) -> Vec<Named> {
    let mut named = Vec::new();
    let mut rest = String::new();
    for statement in code.split_inclusive(';') {
        let Some(at) = statement.rfind("use ").filter(|at| {
            statement[..*at].chars().next_back().is_none_or(char::is_whitespace) && statement.ends_with(';')
        }) else {
            rest.push_str(statement);
            continue;
        };
        let before = statement[..at].trim_end();
        let is_public =
            before.ends_with("pub") || before.ends_with("pub(crate)") || before.ends_with("pub(super)");
        expand("", &statement[at + 4..statement.len() - 1], &mut |path| {
            named.push(Named { path, is_public })
        });
        rest.push_str(before);
    }
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    let inline = rest.split(|c: char| !is_part(c)).filter(|path| path.contains("::"));
    named.extend(inline.map(|path| Named { path: path.trim_matches(':').to_owned(), is_public: false }));
    named
}

/// Every path of a `use` tree.
fn expand(before: &str, tree: &str, each: &mut impl FnMut(String)) {
    let tree = tree.trim();
    let Some((path, inner)) = tree.split_once('{') else {
        let path = tree.split(" as ").next().unwrap_or_default();
        each(format!("{before}{path}"));
        return;
    };
    let before = format!("{before}{}", path.trim());
    let (mut depth, mut start) = (0, 0);
    let inner = inner.strip_suffix('}').unwrap_or(inner);
    for (at, c) in inner.char_indices().chain([(inner.len(), ',')]) {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                let one = inner[start..at].trim();
                if !one.is_empty() {
                    expand(&before, one, each);
                }
                start = at + 1;
            }
            _ => {}
        }
    }
}

/// The largest sets of files in which each imports each other, directly or through others; of two files at least.
fn circles(imports: &BTreeMap<String, BTreeSet<String>>) -> Vec<Vec<String>> {
    let reach = |from: &str| {
        let (mut seen, mut next) = (BTreeSet::new(), vec![from]);
        while let Some(file) = next.pop() {
            for to in imports.get(file).into_iter().flatten() {
                if seen.insert(to.as_str()) {
                    next.push(to);
                }
            }
        }
        seen
    };
    let reached: BTreeMap<&str, BTreeSet<&str>> = imports.keys().map(|f| (f.as_str(), reach(f))).collect();
    let mut found = BTreeSet::new();
    for (file, to) in &reached {
        let circle: Vec<String> = to
            .iter()
            .filter(|other| reached.get(*other).is_some_and(|back| back.contains(file)))
            .map(|other| (*other).to_owned())
            .collect();
        if circle.len() > 1 {
            found.insert(circle);
        }
    }
    found.into_iter().collect()
}
