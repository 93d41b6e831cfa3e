//! Where results go: stdout in one format, and files in others. Everything else goes to stderr.

use std::io::{ErrorKind, IsTerminal, Write};
use std::path::Path;

use anstream::{AutoStream, ColorChoice};
use console::Term;
use dwsim_reports::forms::{Form, Page, Report};
use dwsim_reports::style::Ink;
use dwsim_reports::{Style, WIDTH, escape};

use crate::cli::{ReportArgs, Reports};
use crate::exit::{Exit, Stop};

/// A terminal that says it is narrower is taken to be this wide.
const NARROWEST: usize = 40;

/// How both streams may be written to, decided once.
#[derive(Clone, Copy, Debug)]
pub struct Terminal {
    /// Whether stdout takes colour.
    pub out: Style,
    /// Whether stderr takes colour.
    pub err: Style,
    /// Whether someone watches stderr.
    pub watched: bool,
    /// How many columns stdout has.
    width: usize,
}

impl Terminal {
    /// As `--color` says, or else `NO_COLOR`, `CLICOLOR_FORCE` and what the streams are connected to.
    pub fn new(color: clap::ColorChoice) -> Terminal {
        match color {
            clap::ColorChoice::Auto => ColorChoice::Auto,
            clap::ColorChoice::Always => ColorChoice::Always,
            clap::ColorChoice::Never => ColorChoice::Never,
        }
        .write_global();
        let style = |choice| if choice == ColorChoice::Never { Style::Plain } else { Style::Coloured };
        let stderr = std::io::stderr();
        Terminal {
            out: style(AutoStream::choice(&std::io::stdout())),
            err: style(AutoStream::choice(&stderr)),
            watched: stderr.is_terminal(),
            width: columns(&Term::stdout()),
        }
    }

    /// How a report is shown on stdout.
    pub fn page(&self) -> Page {
        Page { style: self.out, width: self.width, ..Page::default() }
    }

    /// Says something beside the result.
    pub fn say(&self, text: &str) {
        // Nobody is left to tell if stderr is gone.
        let _ = writeln!(std::io::stderr(), "{text}");
    }

    /// Says what went wrong.
    pub fn complain(&self, stop: &Stop) {
        match stop {
            Stop::Broken(wrong) => self.say(&wrong.render(self.err == Style::Coloured)),
            Stop::Because(_, message) => {
                // It may quote a file, or a name from the command line.
                let message = message.lines().map(escape::plain).collect::<Vec<_>>().join("\n");
                self.say(&format!("{}: {message}", self.err.paint(Ink::Bad, "error")));
            }
        }
    }
}

/// How wide a terminal is; what is no terminal is as wide as a file.
fn columns(of: &Term) -> usize {
    of.size_checked().map_or(WIDTH, |(_, columns)| usize::from(columns).max(NARROWEST))
}

/// One more form of the result, for a file: `junit=report.xml`.
#[derive(Clone, Debug)]
pub struct Target {
    /// In which form.
    form: &'static Form,
    /// Which file. It is overwritten.
    path: String,
}

impl Target {
    /// `FORMAT=PATH`, of the forms that the command has.
    pub fn parse<C: Reports>(text: &str) -> Result<Target, String> {
        let Some((name, path)) = text.split_once('=').filter(|(_, path)| !path.is_empty()) else {
            return Err("write FORMAT=PATH, such as json=report.json".to_owned());
        };
        let known = || C::forms().map(|form| form.name).collect::<Vec<_>>().join(", ");
        match Form::named(name) {
            None => Err(format!("unknown format `{name}`; use one of {}", known())),
            Some(form) if !C::forms().any(|of| of.name == form.name) => {
                Err(format!("`{name}` cannot show this report; use one of {}", known()))
            }
            Some(form) => Ok(Target { form, path: path.to_owned() }),
        }
    }

    /// Fails now rather than after a long campaign, if the folder is not there.
    fn check(&self) -> Result<(), Stop> {
        let folder = Path::new(&self.path).parent().filter(|folder| !folder.as_os_str().is_empty());
        match folder {
            Some(folder) if !folder.is_dir() => Err(cannot_write(&self.path, &ErrorKind::NotFound.into())),
            _ => Ok(()),
        }
    }
}

impl<C: Reports> ReportArgs<C> {
    /// Fails now rather than after a long campaign, if a folder is not there.
    pub fn check(&self) -> Result<(), Stop> {
        self.out.iter().try_for_each(Target::check)
    }

    /// Writes a report to stdout as `page` says, and to each file in plain text of the usual width.
    pub fn write(&self, report: Report<'_>, page: &Page) -> Result<(), Stop> {
        let on_file = Page { style: Style::Plain, width: WIDTH, ..page.clone() };
        for target in &self.out {
            let text = shown(target.form, report, &on_file)?;
            std::fs::write(&target.path, text).map_err(|error| cannot_write(&target.path, &error))?;
        }
        print(&shown(self.format, report, page)?)
    }
}

fn shown(form: &Form, report: Report<'_>, page: &Page) -> Result<String, Stop> {
    form.show(report, page).ok_or_else(|| Stop::usage(format!("`{}` cannot show this report", form.name)))
}

/// Writes a result to stdout. A reader who has seen enough, such as `head`, is no error.
pub fn print(text: &str) -> Result<(), Stop> {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(cannot_write("stdout", &error)),
        _ => Ok(()),
    }
}

/// That something cannot be written.
pub fn cannot_write(what: &str, error: &std::io::Error) -> Stop {
    Stop::Because(
        Exit::CannotWrite,
        match error.kind() {
            ErrorKind::NotFound => format!("cannot write {what}: there is no such folder"),
            ErrorKind::AlreadyExists => format!("{what} is there already; choose another name"),
            _ => format!("cannot write {what}: {error}"),
        },
    )
}
