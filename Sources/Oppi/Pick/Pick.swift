// SPDX-License-Identifier: MIT

import CommandTable
import OppiClient
import OppiSystem
import OppiText

/// `oppi pick`: a menu for one key.
enum Pick {
  struct Options: Sendable, Equatable {
    var kind: PickChoice.Kind?
    var workspace: String?
    var picker: ProgramLine?
    var isPrinting = false
    var isEditing = false
    var desktop = DesktopOutcome.When.auto
  }

  static let command: Command = Command(
    "pick",
    "Choose an action from a menu",
    discussion: """
      Shows a menu with fzf on a terminal, else with the first installed program of fuzzel, \
      rofi, wofi, bemenu and dmenu that supports your display (WAYLAND_DISPLAY or DISPLAY). The \
      setting 'picker', or --picker, selects another program: one of these with optional \
      arguments, or any program that reads rows and prints the selected one. For text input, the \
      program gets no rows and prints the text.

      Without KIND the menu lists pending approvals first, then your shortcuts and workspaces, \
      recently used ones first. Then:

        a workspace   enter a prompt, which is sent to the workspace
        a session     follow it on this terminal, or open it in a terminal window
        a shortcut    run it; required values are entered in menus
        an approval   show its call, then decide it or read it in a terminal window

      A call can be approved in the menu only if all of it is shown, in plain ASCII, and it \
      neither deletes data nor has a high risk. Enter alone never approves, choices within the first second are \
      ignored, and an approval must be confirmed. These menus ignore your own settings of the menu \
      program, which may hide rows; wofi and programs that are not listed above cannot approve. \
      The decision applies only to the call shown.

      Workspaces come from the cached list, which is updated while the menu is open; sessions \
      and approvals come from 'oppi watch' if it runs. Otherwise the first menu waits at most \
      300 ms for approvals and omits those of slower servers.

      If you cancel the menu (Escape), the status is 130 and nothing is printed. Without a \
      terminal the result is shown as a desktop notification; --gui overrides that. Output and \
      status are those of 'oppi ask', 'run', 'follow', 'approve' or 'deny', except with --print.
      """,
    examples: [
      ("oppi pick", "Show the menu, for example from a hotkey"),
      ("oppi pick approvals", "Decide pending approvals"),
      ("oppi pick -w api", "Enter a prompt for one workspace"),
      ("oppi pick workspaces --print", "Print the id of a workspace, for a script"),
      ("oppi pick --picker 'rofi -theme oppi'", "Use another menu program"),
    ],
    exitStatuses: [0, 1, 3, 4, 5, 6, 64, 65, 66, 69, 75, 76, 77, 78, 124, 130, 143],
    members: shape.rows,
    group: Group.triggers,
    options: Options(),
    arguments: [
      .workspace(\.workspace, "Send a prompt to this workspace, without the first menu"),
      .option("picker", \.picker, "Use this menu program"),
      .flag("print", \.isPrinting, "Print the name of the choice without an action"),
      .flag(
        "edit",
        \.isEditing,
        "Write the prompt in your editor, in a window if necessary"
      ),
      .desktop(\.desktop),
      .positional("kind", \.kind, "The kind of choices"),
    ],
    validate: { (options) throws(UsageError) in
      if options.workspace != nil, options.kind != nil || options.isPrinting {
        throw UsageError(.contradiction("--workspace cannot be used with a kind"))
      }
    },
    run: run
  )

  static func run(_ options: Options, in context: Context) async throws -> Report {
    let outcome = DesktopOutcome(command: "pick", context: context)
    let (runner, choice) = try await outcome.value(options.desktop) {
      try await choose(options, in: context)
    }
    if options.isPrinting {
      return Report(shape.document(of: choice), .text(choice.name))
    }
    let action = PickAction(
      runner: runner,
      isEditing: options.isEditing,
      desktop: options.desktop,
      context: context
    )
    return try await action.perform(choice)
  }

  /// Returns the choice and the runner for further menus, which an editor does not need.
  private static func choose(
    _ options: Options,
    in context: Context
  ) async throws -> (MenuRunner?, PickChoice) {
    if let word = options.workspace, let workspace = try await context.workspace(named: word) {
      let runner = options.isEditing ? nil : try runner(options.picker, in: context)
      return (runner, .workspace(workspace))
    }
    let runner = try runner(options.picker, in: context)
    let list = PickList(kind: options.kind, context: context)
    return (runner, try await list.choice(from: runner))
  }

  /// The runner for menus: uses the program of `--picker`, else of the settings, else the first that
  /// is suitable.
  private static func runner(_ option: ProgramLine?, in context: Context) throws -> MenuRunner {
    let destination = context.output.policy.destination
    let named = try option ?? context.config.load().value(of: .picker, as: ProgramLine.self)
    return try MenuRunner(
      named?.words,
      on: MenuRunner.Screen(
        isTerminal: destination.isInputTerminal && destination.isErrorTerminal,
        width: destination.width,
        height: destination.height
      ),
      environment: context.environment,
      programs: context.programs,
      loop: context.loop,
      timeout: context.timeout,
      ownPath: context.programPath
    )
  }

  /// The output of `--print`; otherwise the document is that of the action.
  static let shape: JSONShape<PickChoice> = [
    .text("kind", "With --print: workspace, session, shortcut or approval") { $0.kind.word },
    .text("name", "With --print: its name for other commands") { $0.name },
    .text("text", "With --print: its text in the menu") { $0.row.text },
  ]
}

extension MenuError: ExplainedError {
  var explanation: OppiError {
    switch self {
    case .noSuchProgram(let program):
      OppiError(
        .badConfiguration,
        "menu program '\(program.safeLine(limit: 80))' not found",
        hints: ["install it, or set another one: oppi config set picker PROGRAM"]
      )
    case .noPlace(let name, let needsTerminal):
      OppiError(
        .badConfiguration,
        "\(name) cannot show a menu: it requires "
          + (needsTerminal ? "a terminal" : "WAYLAND_DISPLAY or DISPLAY")
      )
    case .noProgram(let fitting):
      OppiError(
        .badConfiguration,
        "no menu program found",
        hints: [
          fitting.isEmpty
            ? "run oppi on a terminal, or with WAYLAND_DISPLAY or DISPLAY set"
            : "install \(fitting.alternatives), or: oppi config set picker PROGRAM"
        ]
      )
    case .cannotStart(let name, let cause): .otherMenu("cannot start \(name): \(cause)")
    case .notShown(let name, let reason, let status):
      .otherMenu("\(name) could not show a menu: \(reason ?? "it exited with \(status)")")
    case .hasty: .otherMenu("nothing was decided: each approval was too fast or not confirmed")
    case .notARow(let name): OppiError(.badInput, "the output of \(name) is not a row of the menu")
    case .notText(let name): OppiError(.badInput, "the output of \(name) is not valid UTF-8")
    case .tooMuchOutput(let name):
      OppiError(.badInput, "the output of \(name) is larger than 1 MiB")
    case .timedOut: OppiError(.waitTimedOut, "--timeout elapsed while the menu was open")
    case .left: OppiError(.interrupted, "menu cancelled")
    }
  }
}

extension OppiError {
  /// A menu program that does not work.
  fileprivate static func otherMenu(_ message: String) -> OppiError {
    let choice = "set another menu program with: oppi config set picker PROGRAM"
    return OppiError(.badConfiguration, message, hints: [choice])
  }
}
