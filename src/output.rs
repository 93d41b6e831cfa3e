//! Where results go: stdout in one format, and files in others. Everything else goes to stderr.

use std::io::{ErrorKind, IsTerminal, Write};
use std::path::Path;
use std::str::FromStr;

use anstream::{AutoStream, ColorChoice};
use clap::ValueEnum;
use dwsim_reports::style::Ink;
use dwsim_reports::{Style, escape};

use crate::exit::{Exit, Stop};

/// How both streams may be written to, decided once.
#[derive(Clone, Copy, Debug)]
pub struct Terminal {
    /// Whether stdout takes colour.
    pub out: Style,
    /// Whether stderr takes colour.
    pub err: Style,
    /// Whether someone watches stderr.
    pub watched: bool,
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
        }
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

/// One more form of the result, for a file: `junit=report.xml`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Target<F> {
    /// In which form.
    pub format: F,
    /// Which file. It is overwritten.
    pub path: String,
}

impl<F: ValueEnum> FromStr for Target<F> {
    type Err = String;

    fn from_str(text: &str) -> Result<Target<F>, String> {
        let Some((format, path)) = text.split_once('=').filter(|(_, path)| !path.is_empty()) else {
            return Err("write FORMAT=PATH, such as json=report.json".to_owned());
        };
        let format = F::from_str(format, true).map_err(|_| {
            let known: Vec<String> = F::value_variants()
                .iter()
                .filter_map(|f| Some(f.to_possible_value()?.get_name().to_owned()))
                .collect();
            format!("there is no format `{format}`; there are {}", known.join(", "))
        })?;
        Ok(Target { format, path: path.to_owned() })
    }
}

impl<F> Target<F> {
    /// Fails now rather than after a long campaign, if the folder is not there.
    pub fn check(&self) -> Result<(), Stop> {
        let folder = Path::new(&self.path).parent().filter(|folder| !folder.as_os_str().is_empty());
        match folder {
            Some(folder) if !folder.is_dir() => Err(cannot_write(&self.path, &ErrorKind::NotFound.into())),
            _ => Ok(()),
        }
    }

    /// Writes the file.
    pub fn write(&self, text: &str) -> Result<(), Stop> {
        std::fs::write(&self.path, text).map_err(|error| cannot_write(&self.path, &error))
    }
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
