// SPDX-License-Identifier: MIT

package import CommandTable
import OppiModel
import OppiTerminal
import OppiText
import OppiWire

/// A setting of `config.json`.
package struct ConfigKey: Sendable, Equatable {
  /// The member names that lead to the value.
  package let path: [String]
  package let summary: String
  /// The type that parses the setting's values.
  package let valueType: any ArgumentValue.Type
  /// The value in effect if none is set; `nil` if the setting does nothing then.
  package private(set) var defaultText: String?

  enum Form: Sendable {
    case text
    /// A string, or a number, which counts as its text.
    case number
    case truth
  }

  package static func == (left: ConfigKey, right: ConfigKey) -> Bool { left.path == right.path }

  /// The form in the file.
  var form: Form {
    switch valueType {
    case is BooleanSetting.Type: .truth
    case is TimeLimit.Type, is Dollars.Type, is PendingTime.Type: .number
    default: .text
    }
  }

  /// The member names joined by dots; a user-defined name is in quotation marks.
  package var name: String { Self.name(of: path) }

  static func name(of path: [String]) -> String {
    path.enumerated().map { index, name in
      let isChosen = index == 1 && [directories, workspaces].contains(path[0])
      return isChosen ? JSONValue.string(name).text() : name
    }
    .joined(separator: ".")
  }

  package static let workspace = ConfigKey("workspace", "The default workspace, if -w is not given")
  package static let model = ConfigKey("model", "The model of new sessions")
  package static let thinking = ConfigKey(
    "thinking",
    "The thinking level of new sessions",
    ThinkingLevel.self
  )
  package static let timeout = ConfigKey(
    "timeout",
    "The time limit of 'oppi ask', including waiting",
    TimeLimit.self
  )
  package static let onAsk = ConfigKey(
    "on-ask",
    "What --wait does when the agent waits for you",
    OnAsk.self,
    default: OnAsk.wait.rawValue
  )
  package static let dayBudget = ConfigKey(
    "budget.day",
    "Maximum cost of a workspace per day, in dollars",
    Dollars.self
  )
  package static let monthBudget = ConfigKey(
    "budget.month",
    "Maximum cost of a workspace per month, in dollars",
    Dollars.self
  )
  package static let history = ConfigKey(
    "history",
    "Whether prompts and chat messages are saved: true or false",
    BooleanSetting.self,
    default: BooleanSetting.true.rawValue
  )
  static let accessible = ConfigKey(
    "accessible",
    "Whether to print lines for screen readers and redraw nothing: true or false",
    BooleanSetting.self,
    default: BooleanSetting.false.rawValue
  )
  static let theme = ConfigKey(
    "theme",
    "The colours of chats, the console and answers; auto asks the terminal for its background",
    ThemeChoice.self,
    default: ThemeChoice.auto.rawValue
  )
  static let mouse = ConfigKey(
    "mouse",
    "Whether the console gets the clicks and the wheel of the mouse",
    MouseChoice.self,
    default: MouseChoice.off.rawValue
  )
  package static let keys = ConfigKey(
    "keys",
    "Keys of the console that replace its own, as in 'reply=m,refresh=Ctrl-R'",
    KeyBindings.self
  )
  package static let appCommand = ConfigKey(
    "app.command",
    "The app of 'oppi new': a program and its arguments, quoted as in a shell",
    ProgramLine.self
  )
  package static let notifyCommand = ConfigKey(
    "notify.command",
    "The program that gets notifications as JSON if there is no desktop, with arguments",
    ProgramLine.self
  )
  package static let notifyQuiet = ConfigKey(
    "notify.quiet",
    "Hours without notifications, for example 22:00-07:00",
    QuietHours.self
  )
  package static let notifyPrivate = ConfigKey(
    "notify.private",
    "Whether notifications hide content: true or false",
    BooleanSetting.self,
    default: BooleanSetting.false.rawValue
  )
  package static let notifyAgain = ConfigKey(
    "notify.again",
    "The time after which a pending request is notified again; off by default",
    PendingTime.self
  )
  package static let notifyEscalate = ConfigKey(
    "notify.escalate",
    "The program that gets a request as JSON after a further 'notify.again', with arguments",
    ProgramLine.self
  )
  package static let notifyDenyAfter = ConfigKey(
    "notify.deny-after",
    "The time after which a pending request is denied or cancelled; off by default",
    PendingTime.self
  )
  package static let picker = ConfigKey(
    "picker",
    "The menu program of 'oppi pick' with arguments, quoted as in a shell",
    ProgramLine.self
  )

  /// The settings that exist once.
  package static let all = [
    workspace, model, thinking, timeout, onAsk, dayBudget, monthBudget, history, accessible,
    theme, mouse, keys, appCommand, notifyCommand, notifyQuiet, notifyPrivate, notifyAgain,
    notifyEscalate, notifyDenyAfter, picker,
  ]

  /// The appearances that replace those of the theme.
  package static let colors = Style.allCases.map(color)

  /// The appearance that replaces that of a style.
  static func color(of style: Style) -> ConfigKey {
    ConfigKey("colors.\(style.rawValue)", style.summary, Appearance.self)
  }

  /// All settings, with those of the colours.
  package static let withColors = all + colors
}

// MARK: - Entries with user-defined names

extension ConfigKey {
  private init(
    _ name: String,
    _ summary: String,
    _ valueType: any ArgumentValue.Type = String.self,
    default text: String? = nil
  ) {
    let path = name.split(separator: ".").map(String.init)
    self.init(path: path, summary: summary, valueType: valueType, defaultText: text)
  }

  /// The member that maps folders to workspaces.
  static let directories = "directories"
  /// The member that contains the settings of single workspaces.
  static let workspaces = "workspaces"

  /// The workspace of a folder, which is given as `~/…` or as an absolute path.
  package static func directory(_ folder: String) -> ConfigKey {
    ConfigKey(
      path: [directories, folder],
      summary: "The workspace of this folder and its subfolders",
      valueType: String.self
    )
  }

  /// The settings that a single workspace may have.
  package static let ofWorkspaces = [
    model, thinking, timeout, onAsk, dayBudget, monthBudget, notifyDenyAfter,
  ]

  /// The name of the member with all settings of a workspace.
  static func entry(ofWorkspace name: String) -> String {
    Self.name(of: [workspaces, name])
  }

  /// The setting for one workspace, which may be given by any of its names.
  package func inWorkspace(_ name: String) -> ConfigKey {
    ConfigKey(
      path: [Self.workspaces, name] + path,
      summary: "\(summary), for this workspace only",
      valueType: valueType,
      defaultText: defaultText
    )
  }

  /// The name in the file of the workspace to which it applies; `nil` for all.
  var workspaceName: String? { path.first == Self.workspaces ? path[1] : nil }

  /// The setting for all workspaces.
  package var general: ConfigKey {
    path.first == Self.workspaces
      ? Self.ofWorkspaces.first { $0.path[...] == path[2...] } ?? self : self
  }

  /// The arguments for `oppi config set`, quoted for a shell; `nil` if it cannot set this.
  package var commandWords: String? {
    switch path.first {
    case Self.directories: nil
    case Self.workspaces: "-w \(ShellWords.quoted(path[1])) \(general.name)"
    default: name
    }
  }

  /// What a path of member names may refer to.
  enum Member {
    case setting
    /// An object that contains settings.
    case group
    case nothing
  }

  static func member(at path: [String]) -> Member {
    if path == [directories] { return .setting }
    let isOfWorkspace = path.first == workspaces
    let names = path.dropFirst(isOfWorkspace ? 2 : 0)
    let keys = (isOfWorkspace ? ofWorkspaces : withColors).filter { $0.path.starts(with: names) }
    if keys.isEmpty { return .nothing }
    return keys.contains { $0.path[...] == names } ? .setting : .group
  }
}

extension ConfigKey {
  /// Returns the setting with the name that a user gave.
  package static func named(_ name: String) throws(OppiError) -> ConfigKey {
    if let key = withColors.first(where: { $0.name == name }) { return key }
    let names = all.map(\.name)
    let close = Suggestions.closest(to: name, among: withColors.map(\.name)).first
    throw OppiError(
      .noSuchSetting,
      "no setting '\(name.safeLine())'",
      hints: [close.map { "did you mean '\($0)'?" } ?? "settings: \(names.joined(separator: ", "))"]
    )
  }
}

extension ConfigFile.Settings {
  /// Returns the value of a setting; `nil` if it is not set.
  ///
  /// - Throws: `OppiError` if the file has an invalid value.
  package func value<Value: ArgumentValue>(
    of key: ConfigKey,
    as type: Value.Type = Value.self
  ) throws(OppiError) -> Value? {
    do {
      return try text(of: key).map { text throws(ArgumentValueError) in try Value(argument: text) }
    } catch let error as ArgumentValueError {
      let text = (try? text(of: key)) ?? ""
      throw OppiError(
        .badConfiguration,
        "\(key.name.asSetting) in \(path) \(error.message), not '\(text.safeLine())'",
        hints: [OppiError.correction(with: key.commandWords)]
      )
    } catch {
      throw OppiError(error)
    }
  }
}

extension ConfigFile.Settings {
  /// Returns the value in effect of a setting that has a default.
  ///
  /// - Throws: `OppiError` if the file has an invalid value.
  package func valueInEffect<Value: ArgumentValue>(
    of key: ConfigKey,
    as type: Value.Type = Value.self
  ) throws(OppiError) -> Value {
    if let value = try value(of: key, as: type) { return value }
    do {
      return try Value(argument: key.defaultText ?? "")
    } catch {
      throw OppiError(.bug, "the setting \(key.name) has no valid default")
    }
  }
}

/// A program with its arguments, quoted as for a shell, but run without one.
package struct ProgramLine: ArgumentValue, Equatable {
  package static let placeholder = "PROGRAM"
  package static let expectation = "expects a program and its arguments, quoted as in a shell"

  /// Never empty.
  package let words: [String]

  package init(argument: String) throws(ArgumentValueError) {
    guard let words = ShellWords.split(argument), words.first?.isEmpty == false else {
      throw ArgumentValueError(Self.expectation)
    }
    self.words = words
  }
}

extension QuietHours: ArgumentValue {
  static var placeholder: String { "HH:MM-HH:MM" }

  init(argument: String) throws(ArgumentValueError) {
    guard let hours = QuietHours(argument) else {
      throw ArgumentValueError("expects two times of the day, such as 22:00-07:00")
    }
    self = hours
  }
}

/// How long a request is pending before a step of a watch.
package struct PendingTime: ArgumentValue, Equatable {
  package static let placeholder = Duration.placeholder
  /// Less would leave no time to answer.
  private static let least = Duration.seconds(60)

  package let duration: Duration

  package init(argument: String) throws(ArgumentValueError) {
    duration = try Duration(argument: argument)
    guard duration >= Self.least else { throw ArgumentValueError("expects 1m or more") }
  }

  package var argumentText: String? { duration.argumentText }
}

package enum BooleanSetting: String, ArgumentValue, CaseIterable {
  case `true`
  case `false`
}

extension Argument {
  static func setting(_ field: @autoclosure @escaping Field<Options, Required<String>>) -> Self {
    let names = Completion.choices(ConfigKey.withColors.map(\.name))
    return .positional("name", completion: names, field(), "The setting")
  }
}
