// SPDX-License-Identifier: MIT

import CommandTable

/// `oppi setup`: makes this program known to shells, man, the desktop and systemd.
enum Setup {
  struct Options: Sendable, Equatable {
    var isForUser = false
    var prefix: String?
    var removes = false
    var isDryRun = false
  }

  static let command: Command = Command(
    "setup",
    "Install completions, manual, desktop entries, units",
    discussion: """
      Installs the completions for bash, zsh and fish, the manual, a desktop entry, the handler \
      of oppi:// links, and the units of 'oppi watch' and 'oppi outbox': below $XDG_DATA_HOME \
      and $XDG_CONFIG_HOME, or, for packages, below the folder of --prefix, with $DESTDIR \
      prepended if set. Entries and units run the program by the path with which you ran it \
      (symbolic links are kept), or with --prefix by DIR/bin. File names follow the program's \
      name.

      Existing files that setup did not write, or that were changed since, are not replaced and \
      are listed. Nothing is enabled or started; the remaining steps are printed. Running setup \
      again changes nothing. A newer version updates its files and removes manual pages that no \
      longer exist.

      --remove deletes unchanged files that setup wrote, and empty folders that it created; stop \
      and disable the units first. With DESTDIR nothing is recorded, and folders are not \
      removed.

      In a pipe each line has path, kind and state, separated by tabs.
      """,
    examples: [
      CommandExample("oppi setup", "Install for this user"),
      CommandExample("oppi setup -n", "Show what would be written"),
      CommandExample("oppi setup --remove", "Remove all installed files"),
      CommandExample(
        "oppi setup --prefix /usr/local",
        "Install for all users, with /usr/local/bin/oppi"
      ),
    ],
    exitStatuses: [0, 64, 73, 74, 78],
    members: SetupReport.shape.rows,
    group: Group.setup,
    options: Options(),
    arguments: [
      .flag("user", \.isForUser, "Install for this user (the default)"),
      .option(
        "prefix",
        placeholder: "DIR",
        completion: .directory,
        \.prefix,
        "Install for all users, below this folder"
      ),
      .flag("remove", \.removes, "Remove the installed files"),
      .flag("dry-run", short: "n", \.isDryRun, "Show what would be done, without doing it"),
    ],
    validate: validate,
    run: run
  )

  private static func validate(_ options: Options) throws(UsageError) {
    guard let prefix = options.prefix else { return }
    if options.isForUser {
      throw UsageError(.contradiction("--user and --prefix cannot be used together"))
    }
    let isPlain = !prefix.split(separator: "/").contains { $0 == "." || $0 == ".." }
    guard prefix.hasPrefix("/"), isPlain else {
      let reason = "must be an absolute path without . and .. in it"
      throw UsageError(.badValue(argument: "--prefix", value: prefix, reason: reason))
    }
  }

  static func run(_ options: Options, in context: Context) async throws -> Report {
    let program = try InstallProgram(
      named: context.programName,
      with: SetupTexts(for: context.programName),
      below: options.prefix,
      in: context.intents
    )
    let isTrial = options.isDryRun
    let outcome =
      if options.removes {
        try await program.remove(isTrial: isTrial)
      } else {
        try await program.install(isTrial: isTrial)
      }
    return SetupReport(outcome, isTrial: isTrial, isRemoval: options.removes).report
  }
}
