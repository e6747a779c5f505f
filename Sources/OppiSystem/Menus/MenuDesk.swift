// SPDX-License-Identifier: MIT

package import EventLoop
import OppiModel

/// Shows menus by another program, and returns what a person has chosen or typed.
package struct MenuDesk: Sendable {
  /// A person takes longer to leave a menu; a program that is faster could not show it, and some of
  /// them do not say so.
  private static let quickest = Duration.milliseconds(100)
  /// Without `--timeout` a person may take as long as they like.
  private static let noLimit = Duration.seconds(365 * 86_400)
  /// How programs end when a person leaves the menu.
  private static let leaving: Set<Int32> = [1, 2, 130]

  /// What programs say that could not show a menu, however long they have tried.
  private static let troubles = ["grab", "open display"]

  /// The terminal that a menu may take.
  package struct Screen: Sendable {
    /// Whether the program has a terminal for input and for errors.
    package var isTerminal: Bool
    /// Its columns; `nil` if unknown.
    package var width: Int?
    /// Its rows; `nil` if unknown.
    package var height: Int?

    package init(isTerminal: Bool, width: Int?, height: Int?) {
      (self.isTerminal, self.width, self.height) = (isTerminal, width, height)
    }
  }

  private let chosen: ChosenPicker
  /// Whether the program has the keys of this program's terminal.
  private let takesTerminal: Bool
  private let screen: Screen
  private let environment: [String: String]
  private let programs: any ProgramAccess
  private let loop: EventLoop
  private let timeout: Duration?
  /// The path of this program, which shows previews.
  private let ownPath: @Sendable () -> String

  /// Finds the program: the one that the user names, with arguments, else the first that fits.
  package init(
    _ named: [String]?,
    on screen: Screen,
    environment: [String: String],
    programs: any ProgramAccess,
    loop: EventLoop,
    timeout: Duration?,
    ownPath: @escaping @Sendable () -> String
  ) throws(MenuError) {
    var places: Set<Picker.Place> = []
    if screen.isTerminal { places.insert(.terminal) }
    if environment["WAYLAND_DISPLAY"]?.isEmpty == false { places.insert(.wayland) }
    if environment["DISPLAY"]?.isEmpty == false { places.insert(.x11) }
    chosen = try ChosenPicker(named, in: .init(places: places) { programs.has($0) })
    takesTerminal = chosen.picker.places.contains(.terminal) && places.contains(.terminal)
    self.screen = screen
    self.environment = environment
    self.programs = programs
    self.loop = loop
    self.timeout = timeout
    self.ownPath = ownPath
  }

  /// Returns the number of the row that was chosen.
  ///
  /// - Throws: `.left` if the person has left the menu.
  package func choose(from menu: Menu) async throws(MenuError) -> Int {
    let picker = chosen.picker
    var arguments = picker.rowArguments(menu.prompt)
    if picker.answer == .field, menu.rows.contains(where: { $0.subject != nil }) {
      arguments += Self.preview(by: ownPath())
    }
    return try await index(in: menu, of: program(chosen.words(with: arguments)))
  }

  /// Returns the number of the row that was chosen from a menu of which all is seen, where
  /// ``sight`` allows that.
  ///
  /// - Throws: As ``choose(from:)``.
  package func decide(on menu: Menu) async throws(MenuError) -> Int {
    guard let arguments = chosen.picker.decisionArguments else {
      return try await choose(from: menu)
    }
    var program = program(chosen.words.prefix(1) + arguments(menu.prompt))
    let options = chosen.picker.optionVariables
    if !options.isEmpty {
      program.environment = environment.filter { !options.contains($0.key) }
    }
    return try await index(in: menu, of: program)
  }

  /// How much is seen of a menu for a decision; `nil` where nobody knows.
  package var sight: MenuSight? {
    guard chosen.picker.decisionArguments != nil else { return nil }
    guard chosen.picker.isOnTerminal else {
      return MenuSight(columns: Picker.columns, rows: Picker.lines)
    }
    guard let width = screen.width, let height = screen.height else { return nil }
    // The mark of a row and a scroll bar; the prompt and the count.
    return MenuSight(columns: min(Picker.columns, width - 4), rows: min(Picker.lines, height - 3))
  }

  private func index(in menu: Menu, of program: ChildProcess) async throws(MenuError) -> Int {
    var program = program
    program.input = menu.input(for: chosen.picker.answer)
    let answer = try await run(program)
    guard let index = menu.index(of: answer, in: chosen.picker.answer) else {
      throw .notARow(program: name)
    }
    return index
  }

  /// Returns the text that was typed, which is not empty.
  ///
  /// - Throws: As ``choose(from:)``.
  package func text(_ prompt: String) async throws(MenuError) -> String {
    try await run(program(chosen.words(with: chosen.picker.textArguments(prompt))), isText: true)
  }

  private func program(_ words: [String]) -> ChildProcess {
    var program = ChildProcess(arguments: words)
    program.takesTerminal = takesTerminal
    program.errors = takesTerminal ? .inherited : .collected
    return program
  }

  /// Runs the program and returns what it printed, without the line break at the end.
  private func run(
    _ program: ChildProcess,
    isText: Bool = false
  ) async throws(MenuError) -> String {
    let begin = loop.now
    let outcome: ChildProcess.Outcome
    do {
      outcome = try await programs.run(program, on: loop, until: begin + (timeout ?? Self.noLimit))
    } catch {
      throw failure(error)
    }
    guard let output = String(validating: outcome.output, as: UTF8.self),
      !outcome.output.contains(0)
    else {
      throw .notText(program: name)
    }
    let answer = output.hasSuffix("\n") ? String(output.dropLast()) : output
    // With nothing to match, fzf ends with 1 and prints the text all the same.
    let isTyped = isText && chosen.picker.isOnTerminal && outcome.status == 1
    let isAnswer = outcome.status == 0 || isTyped
    if isAnswer {
      guard !answer.allSatisfy(\.isWhitespace) else { throw .left }
      return answer
    }
    throw failure(outcome, after: begin.duration(to: loop.now))
  }

  private var name: String { chosen.words[0].safeLine(limit: 80) }

  private func failure(_ outcome: ChildProcess.Outcome, after elapsed: Duration) -> MenuError {
    let said = String(decoding: outcome.errors, as: UTF8.self)
    let lines = said.split(separator: "\n").filter { !$0.allSatisfy(\.isWhitespace) }
    let trouble = lines.last { line in
      Self.troubles.contains { line.lowercased().contains($0) }
    }
    if Self.leaving.contains(outcome.status), elapsed >= Self.quickest, trouble == nil {
      return .left
    }
    return .notShown(
      program: name,
      reason: (trouble ?? lines.last).map { String($0).safeLine(limit: 200) },
      status: outcome.status
    )
  }

  private func failure(_ failure: ChildProcess.Failure) -> MenuError {
    switch failure {
    case .cancelled: .left
    case .timedOut: .timedOut
    case .tooMuchOutput: .tooMuchOutput(program: name)
    case .cannotStart(let error): .cannotStart(program: name, error)
    }
  }

  /// Shows what there is to read of a row beside it; the shell that fzf runs it by may be any.
  private static func preview(by program: String) -> [String] {
    let script =
      #"case "$1" in session) exec "$0" show -- "$2";; approval) exec "$0" approvals show -- "$2";; "#
      + #"shortcut) exec "$0" shortcuts show -- "$2";; esac"#
    return [
      "--preview=sh -c \(ShellWords.quoted(script)) \(ShellWords.quoted(program)) {2} {3}",
      "--preview-window=right,50%,wrap",
    ]
  }
}
