// SPDX-License-Identifier: MIT

package import EventLoop
import OppiText

/// Shows menus with another program, and returns the row or text that the user chose.
package struct MenuRunner: Sendable {
  /// The shortest time in which a user can leave a menu; a program that ends sooner could not show
  /// it, and some programs do not report that.
  private static let quickest = Duration.milliseconds(100)
  /// The exit statuses of programs when the user leaves the menu.
  private static let leaving: Set<Int32> = [1, 2, 130]

  /// Error messages of programs that could not show a menu, even after a long attempt.
  private static let troubles = ["grab", "open display"]

  package struct Screen: Sendable {
    /// Whether standard input and standard error are a terminal.
    package var isTerminal: Bool
    /// In columns; `nil` if unknown.
    package var width: Int?
    /// In rows; `nil` if unknown.
    package var height: Int?

    package init(isTerminal: Bool, width: Int?, height: Int?) {
      (self.isTerminal, self.width, self.height) = (isTerminal, width, height)
    }
  }

  private let picker: Picker
  /// The program and the user's own arguments, which follow others and take precedence.
  private let words: [String]
  /// Whether the picker reads keys from this program's terminal.
  private let takesTerminal: Bool
  private let screen: Screen
  private let environment: [String: String]
  private let programs: any ProgramAccess
  private let loop: EventLoop
  private let timeout: Duration?
  /// The path of this program, which shows previews.
  private let ownPath: @Sendable () -> String

  /// Selects the picker: the one that the user named, else the first that works here.
  package init(
    _ named: [String]?,
    on screen: Screen,
    environment: [String: String],
    programs: any ProgramAccess,
    loop: EventLoop,
    timeout: Duration?,
    ownPath: @escaping @Sendable () -> String
  ) throws(MenuError) {
    var places: Set<Picker.Display> = []
    if screen.isTerminal { places.insert(.terminal) }
    if environment["WAYLAND_DISPLAY"]?.isEmpty == false { places.insert(.wayland) }
    if environment["DISPLAY"]?.isEmpty == false { places.insert(.x11) }
    (picker, words) = try Picker.choose(named, in: places) { programs.has($0) }
    takesTerminal = picker.places.contains(.terminal) && places.contains(.terminal)
    self.screen = screen
    self.environment = environment
    self.programs = programs
    self.loop = loop
    self.timeout = timeout
    self.ownPath = ownPath
  }

  /// Returns the index of the chosen row.
  ///
  /// - Throws: `.left` if the user left the menu.
  package func choose(from menu: Menu) async throws(MenuError) -> Int {
    let hasPreview = picker.answer == .field && menu.rows.contains { $0.subject != nil }
    let preview = hasPreview ? Self.preview(by: ownPath()) : []
    return try await index(
      in: menu,
      of: program(picker.rows, menu.prompt, preview + words.dropFirst())
    )
  }

  /// Returns the index of the row chosen from a menu that is completely visible, if ``sight``
  /// allows that.
  ///
  /// - Throws: As ``choose(from:)``.
  package func decide(on menu: Menu) async throws(MenuError) -> Int {
    guard let arguments = picker.decision else { return try await choose(from: menu) }
    var program = program(arguments, menu.prompt, [])
    let options = picker.optionVariables
    if !options.isEmpty {
      program.environment = environment.filter { !options.contains($0.key) }
    }
    return try await index(in: menu, of: program)
  }

  /// How much of a menu is visible for a decision; `nil` if unknown.
  package var sight: MenuSight? {
    guard picker.decision != nil else { return nil }
    guard picker.isOnTerminal else {
      return MenuSight(columns: Picker.columns, rows: Picker.lines)
    }
    guard let width = screen.width, let height = screen.height else { return nil }
    // Leaves room for the row marker and the scroll bar, and for the prompt and the count.
    return MenuSight(columns: min(Picker.columns, width - 4), rows: min(Picker.lines, height - 3))
  }

  private func index(in menu: Menu, of program: ChildProcess) async throws(MenuError) -> Int {
    var program = program
    program.input = menu.input(for: picker.answer)
    let answer = try await run(program)
    guard let index = menu.index(of: answer, in: picker.answer) else {
      throw .notARow(program: name)
    }
    return index
  }

  /// Returns the typed text, which is not empty.
  ///
  /// - Throws: As ``choose(from:)``.
  package func text(_ prompt: String) async throws(MenuError) -> String {
    try await run(program(picker.text, prompt, Array(words.dropFirst())), isText: true)
  }

  private func program(_ arguments: [String], _ prompt: String, _ more: [String]) -> ChildProcess {
    let arguments = arguments.map { $0.replacing("{}", with: prompt) }
    var program = ChildProcess(arguments: words.prefix(1) + arguments + more)
    program.takesTerminal = takesTerminal
    program.errors = takesTerminal ? .inherited : .collected
    return program
  }

  /// Runs the program and returns its output without the final line break.
  private func run(
    _ program: ChildProcess,
    isText: Bool = false
  ) async throws(MenuError) -> String {
    let begin = loop.now
    let outcome: ChildProcess.Outcome
    do {
      let limit = timeout ?? ChildProcess.noLimit
      outcome = try await programs.run(program, on: loop, until: begin + limit)
    } catch {
      throw failure(error)
    }
    guard let output = String(validating: outcome.output, as: UTF8.self),
      !outcome.output.contains(0)
    else {
      throw .notText(program: name)
    }
    let answer = output.hasSuffix("\n") ? String(output.dropLast()) : output
    // Without a match, fzf exits with status 1 and prints the text nevertheless.
    let isTyped = isText && picker.isOnTerminal && outcome.status == 1
    let isAnswer = outcome.status == 0 || isTyped
    if isAnswer {
      guard !answer.allSatisfy(\.isWhitespace) else { throw .left }
      return answer
    }
    throw failure(outcome, after: begin.duration(to: loop.now))
  }

  private var name: String { words[0].safeLine(limit: 80) }

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

  /// Shows a preview next to the row; the script works with any shell that fzf uses.
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

package enum MenuError: Error, Sendable, Equatable {
  /// The program that the user named is not installed.
  case noSuchProgram(String)
  /// There is no terminal or no display for the program that the user named.
  case noPlace(program: String, needsTerminal: Bool)
  /// No installed program can show a menu here; `fitting` names programs that could, and is empty
  /// if there is neither a terminal nor a display.
  case noProgram(fitting: [String])
  case cannotStart(program: String, SystemError)
  /// The program exited without a menu; `reason` is its own last line, if any.
  case notShown(program: String, reason: String?, status: Int32)
  /// The output of the program is not a row of the menu.
  case notARow(program: String)
  /// The output of the program is not UTF-8 text.
  case notText(program: String)
  case tooMuchOutput(program: String)
  /// The user's timeout passed.
  case timedOut
  case left
  /// The menu was answered faster, or more often, than a user can.
  case hasty
}
