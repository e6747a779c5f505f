// SPDX-License-Identifier: MIT

import CommandTable
import OppiIntents
import OppiModel
import OppiRendering
import OppiSystem

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
    "Choose from a menu what to ask, run, follow or decide",
    discussion: """
      Shows a menu by fzf on a terminal, else by the first of fuzzel, rofi, wofi, bemenu and dmenu \
      that is there and fits WAYLAND_DISPLAY or DISPLAY. The setting picker, or --picker, names \
      another: one of these, with arguments of yours if need be, or any program that reads rows and \
      prints the chosen one; it gets no rows where a text is asked for, and prints what was typed.

      Without a kind the menu has what waits for approval on top, then your shortcuts and \
      workspaces, those that you chose last first. What becomes of the choice:

        a workspace   the text of a prompt is asked for, and the prompt is fired there
        a session     it is followed on this terminal, or opened in a terminal window
        a shortcut    it is run; values that it needs are asked for
        an approval   its call is shown, to be denied or read in a terminal window

      A call can be approved there only where all of it is in the menu, in plain ASCII, and its risk \
      is not destructive or high; what Enter takes first never approves, neither does what is chosen \
      within a second, and an approval is asked once more. Those menus are shown without your own \
      settings of the program, which may hide rows; by wofi, and by programs that are not named \
      above, nothing is approved. The decision applies only to the call shown.

      Workspaces come from what was last seen, and are asked for anew while you read; sessions and \
      approvals from 'oppi watch' where it runs. Without it the first menu waits 300 ms at most for \
      approvals, and leaves out those of servers that are not so quick.

      A menu that is left (Escape) is status 130 and says nothing. Without a terminal the outcome \
      is shown as a desktop notification; --gui says otherwise. Output and status are those of 'oppi \
      ask', 'run', 'follow', 'approve' or 'deny', but for --print.
      """,
    examples: [
      CommandExample("oppi pick", "What a key runs"),
      CommandExample("oppi pick approvals", "Decide on what waits"),
      CommandExample("oppi pick -w api", "Type a prompt for one workspace"),
      CommandExample("oppi pick workspaces --print", "The id of a workspace, for a script"),
      CommandExample("oppi pick --picker 'rofi -theme oppi'", "By a program of your choice"),
    ],
    exitStatuses: [0, 1, 3, 4, 5, 6, 64, 65, 66, 69, 75, 76, 77, 78, 124, 130],
    members: shape.rows,
    group: Group.triggers,
    options: Options(),
    arguments: [
      .workspace(\.workspace, "Ask in this workspace, without the first menu"),
      .option("picker", \.picker, "Show the menus by this program"),
      .flag("print", \.isPrinting, "Print the name of the choice, and do nothing"),
      .flag(
        "edit",
        \.isEditing,
        "Write the prompt in your editor, if need be in a window"
      ),
      .option("gui", \.desktop, "Tell the outcome as a desktop notification"),
      .positional("kind", \.kind, "What to choose from"),
    ],
    validate: { (options) throws(UsageError) in
      if options.workspace != nil, options.kind != nil || options.isPrinting {
        throw UsageError(.contradiction("--workspace leaves nothing to choose"))
      }
    },
    run: run
  )

  static func run(_ options: Options, in context: Context) async throws -> Report {
    let outcome = DesktopOutcome(command: "pick", context: context)
    let (desk, choice) = try await outcome.value(options.desktop) {
      try await choose(options, in: context)
    }
    if options.isPrinting {
      return Report(shape.document(of: choice), .text(choice.name))
    }
    let action = PickAction(
      desk: desk,
      isEditing: options.isEditing,
      desktop: options.desktop,
      context: context
    )
    return try await action.perform(choice)
  }

  /// The choice, and what more is to be asked by; an editor needs no menu.
  private static func choose(
    _ options: Options,
    in context: Context
  ) async throws -> (MenuDesk?, PickChoice) {
    if let word = options.workspace, let workspace = try await context.workspace(named: word) {
      let desk = options.isEditing ? nil : try desk(options.picker, in: context)
      return (desk, .workspace(workspace))
    }
    let desk = try desk(options.picker, in: context)
    let list = PickList(kind: options.kind, context: context)
    let choices = try await list.choices()
    async let _ = list.refresh()
    let menu = Menu(options.kind?.prompt ?? "oppi", numbering: choices.map(\.row))
    let choice = choices[try await desk.choose(from: menu)]
    if let memory = choice.memory { try? await context.recentPicks.add(memory) }
    return (desk, choice)
  }

  /// What shows the menus: the program of `--picker`, else that of the settings, else the first that
  /// fits.
  private static func desk(_ option: ProgramLine?, in context: Context) throws -> MenuDesk {
    let destination = context.console.policy.destination
    let named = try option ?? context.config.load().value(of: .picker, as: ProgramLine.self)
    return try context.intents.menuDesk(
      named?.words,
      on: MenuDesk.Screen(
        isTerminal: destination.isInputTerminal && destination.isErrorTerminal,
        width: destination.width,
        height: destination.height
      )
    )
  }

  /// What `--print` shows; without it the document is that of what was done.
  static let shape: JSONShape<PickChoice> = [
    .member("kind", "With --print: workspace, session, shortcut or approval") {
      .string($0.kind.word)
    },
    .member("name", "With --print: what other commands take for it") { .string($0.name) },
    .member("text", "With --print: how it stood in the menu") { .string($0.row.text) },
  ]
}

extension PickChoice.Kind: ArgumentValue {
  static var placeholder: String { "KIND" }
}
