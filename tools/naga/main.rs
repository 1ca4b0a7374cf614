// SPDX-License-Identifier: Apache-2.0
// Sends a SPIR-V module through naga: front end, validation, overrides, and a back end for SPIR-V or
// WGSL. naga's own command-line program is not in Debian. An error of naga is a rejection (exit code
// 1). A panic of naga ends the program by a signal.
//
//   naga [--wgsl] [--spirv1.N] IN OUT
//   naga --version

use std::error::Error;
use std::process::ExitCode;

use naga::back::{pipeline_constants, spv, wgsl};
use naga::valid::{Capabilities, ValidationFlags, Validator};

const USAGE: &str = "usage: naga [--wgsl] [--spirv1.N] IN OUT";

struct Arguments {
    wgsl: bool,
    minor: u8, // of the SPIR-V version to write
    input: String,
    output: String,
}

fn read_arguments() -> Result<Arguments, String> {
    let mut given = Arguments { wgsl: false, minor: 0, input: String::new(), output: String::new() };
    for argument in std::env::args().skip(1) {
        if argument == "--wgsl" {
            given.wgsl = true;
        } else if let Some(minor) = argument.strip_prefix("--spirv1.") {
            given.minor = minor.parse().map_err(|_| USAGE.to_string())?;
        } else if argument.starts_with('-') {
            return Err(format!("unknown option {argument}; {USAGE}"));
        } else if given.input.is_empty() {
            given.input = argument;
        } else if given.output.is_empty() {
            given.output = argument;
        } else {
            return Err(USAGE.to_string());
        }
    }
    if given.output.is_empty() { Err(USAGE.to_string()) } else { Ok(given) }
}

/// The error and its causes, each cause in a line that begins with "= ".
fn chain(stage: &str, error: &dyn Error) -> String {
    let mut text = format!("error: {stage}: {error}");
    let mut cause = error.source();
    while let Some(next) = cause {
        text += &format!("\n  = {next}");
        cause = next.source();
    }
    text
}

fn translate(given: &Arguments) -> Result<Vec<u8>, String> {
    let bytes = std::fs::read(&given.input).map_err(|e| chain(&given.input, &e))?;
    // Without the two adjustments of the y axis, SPIR-V to SPIR-V changes no coordinates.
    let front = naga::front::spv::Options { adjust_coordinate_space: false, ..Default::default() };
    let module = naga::front::spv::parse_u8_slice(&bytes, &front)
        .map_err(|e| chain("SPIR-V front end", &e))?;
    let info = Validator::new(ValidationFlags::all(), Capabilities::all())
        .validate(&module)
        .map_err(|e| chain("validation", e.as_inner()))?;
    // The overrides (specialisation constants) get their default values.
    let (module, info) =
        pipeline_constants::process_overrides(&module, &info, None, &Default::default())
            .map_err(|e| chain("overrides", &e))?;
    if given.wgsl {
        return wgsl::write_string(&module, &info, wgsl::WriterFlags::empty())
            .map(String::into_bytes)
            .map_err(|e| chain("WGSL back end", &e));
    }
    let options = spv::Options {
        lang_version: (1, given.minor),
        flags: spv::WriterFlags::empty(),
        fake_missing_bindings: true, // a resource keeps its set and binding
        ..Default::default()
    };
    spv::write_vec(&module, &info, &options, None)
        .map(|words| words.iter().flat_map(|word| word.to_le_bytes()).collect())
        .map_err(|e| chain("SPIR-V back end", &e))
}

fn main() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some("--version") {
        println!("naga {}", option_env!("NAGA_VERSION").unwrap_or("of unknown version"));
        return ExitCode::SUCCESS;
    }
    let done = read_arguments().and_then(|given| {
        let bytes = translate(&given)?;
        std::fs::write(&given.output, bytes).map_err(|e| chain(&given.output, &e))
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(text) => {
            eprintln!("{text}");
            ExitCode::FAILURE
        }
    }
}
