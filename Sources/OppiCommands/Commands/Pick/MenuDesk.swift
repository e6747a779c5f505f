// SPDX-License-Identifier: MIT

import CommandTable
import EventLoop
import OppiIntents
import OppiModel
import OppiSystem

/// Shows menus by another program, and returns what a person has chosen or typed.
struct MenuDesk {
  /// A person takes longer to leave a menu; a program that is faster could not show it, and some of
  /// them do not say so.
  private static let quickest = Duration.milliseconds(100)
  /// Without `--timeout` a person may take as long as they like.
  private static let noLimit = Duration.seconds(365 * 86_400)
  /// How programs end when a person leaves the menu.
  private static let leaving: Set<Int32> = [1, 2, 130]

  /// What programs say that could not show a menu, however long they have tried.
  private static let troubles = ["grab", "open display"]

  private let chosen: ChosenPicker
  /// Whether the program has the keys of this program's terminal.
  private let takesTerminal: Bool
  private let context: Context

  /// Finds the program: that of `--picker`, else that of the settings, else the first that fits.
  ///
  /// - Throws: Where there is none, or the settings cannot be read.
  init(_ option: ProgramLine?, in context: Context) throws {
    let destination = context.console.policy.destination
    var places: Set<Picker.Place> = []
    if destination.isInputTerminal, destination.isErrorTerminal { places.insert(.terminal) }
    if context.nonEmpty("WAYLAND_DISPLAY") != nil { places.insert(.wayland) }
    if context.nonEmpty("DISPLAY") != nil { places.insert(.x11) }
    let named = try option ?? context.config.load().value(of: .picker, as: ProgramLine.self)
    chosen = try ChosenPicker(
      named,
      in: .init(places: places) { [context] in context.programs.has($0) }
    )
    takesTerminal = chosen.picker.places.contains(.terminal) && places.contains(.terminal)
    self.context = context
  }

  /// Returns the number of the row that was chosen.
  ///
  /// - Throws: `OppiError`; `.interrupted` where the person has left the menu.
  func choose(from menu: Menu) async throws(OppiError) -> Int {
    let picker = chosen.picker
    var arguments = picker.rowArguments(menu.prompt)
    if picker.answer == .field, menu.rows.contains(where: { $0.subject != nil }) {
      arguments += Self.preview(by: context.programPath())
    }
    return try await index(in: menu, of: program(chosen.words(with: arguments)))
  }

  /// Returns the number of the row that was chosen from a menu of which all is seen, where
  /// ``sight`` allows that.
  ///
  /// - Throws: As ``choose(from:)``.
  func decide(on menu: Menu) async throws(OppiError) -> Int {
    guard let arguments = chosen.picker.decisionArguments else {
      return try await choose(from: menu)
    }
    var program = program(chosen.words.prefix(1) + arguments(menu.prompt))
    let options = chosen.picker.optionVariables
    if !options.isEmpty {
      program.environment = context.environment.filter { !options.contains($0.key) }
    }
    return try await index(in: menu, of: program)
  }

  /// How much is seen of a menu for a decision; `nil` where nobody knows.
  var sight: MenuSight? {
    guard chosen.picker.decisionArguments != nil else { return nil }
    guard chosen.picker.isOnTerminal else {
      return MenuSight(columns: Picker.columns, rows: Picker.lines)
    }
    let destination = context.console.policy.destination
    guard let width = destination.width, let height = destination.height else { return nil }
    // The mark of a row and a scroll bar; the prompt and the count.
    return MenuSight(columns: min(Picker.columns, width - 4), rows: min(Picker.lines, height - 3))
  }

  private func index(in menu: Menu, of program: ChildProcess) async throws(OppiError) -> Int {
    var program = program
    program.input = menu.input(for: chosen.picker.answer)
    let answer = try await run(program)
    guard let index = menu.index(of: answer, in: chosen.picker.answer) else {
      throw OppiError(.badInput, "what \(name) has printed is no row of the menu")
    }
    return index
  }

  /// Returns the text that was typed, which is not empty.
  ///
  /// - Throws: As ``choose(from:)``.
  func text(_ prompt: String) async throws(OppiError) -> String {
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
  ) async throws(OppiError) -> String {
    let begin = context.loop.now
    let outcome: ChildProcess.Outcome
    do {
      outcome = try await context.programs.run(
        program,
        on: context.loop,
        until: begin + (context.options.timeout ?? Self.noLimit)
      )
    } catch {
      throw failure(error)
    }
    guard let output = String(validating: outcome.output, as: UTF8.self),
      !outcome.output.contains(0)
    else {
      throw OppiError(.badInput, "\(name) has printed what is not text in UTF-8")
    }
    let answer = output.hasSuffix("\n") ? String(output.dropLast()) : output
    // With nothing to match, fzf ends with 1 and prints the text all the same.
    let isTyped = isText && chosen.picker.isOnTerminal && outcome.status == 1
    let isAnswer = outcome.status == 0 || isTyped
    if isAnswer {
      guard !answer.allSatisfy(\.isWhitespace) else { throw .left }
      return answer
    }
    throw failure(outcome, after: begin.duration(to: context.loop.now))
  }

  private var name: String { chosen.words[0].safeLine(limit: 80) }

  private func failure(_ outcome: ChildProcess.Outcome, after elapsed: Duration) -> OppiError {
    let said = String(decoding: outcome.errors, as: UTF8.self)
    let lines = said.split(separator: "\n").filter { !$0.allSatisfy(\.isWhitespace) }
    let trouble = lines.last { line in
      Self.troubles.contains { line.lowercased().contains($0) }
    }
    if Self.leaving.contains(outcome.status), elapsed >= Self.quickest, trouble == nil {
      return .left
    }
    let why =
      (trouble ?? lines.last).map { String($0).safeLine(limit: 200) }
      ?? "it ended with \(outcome.status)"
    return OppiError(
      .badConfiguration,
      "\(name) could not show a menu: \(why)",
      hints: ["choose another with: oppi config set picker PROGRAM"]
    )
  }

  private func failure(_ failure: ChildProcess.Failure) -> OppiError {
    switch failure {
    case .cancelled: .left
    case .timedOut: OppiError(.waitTimedOut, "--timeout passed while the menu was shown")
    case .tooMuchOutput: OppiError(.badInput, "\(name) has printed more than 1 MiB")
    case .cannotStart(let error):
      OppiError(
        .badConfiguration,
        "cannot start \(name): \(error)",
        hints: ["choose another with: oppi config set picker PROGRAM"]
      )
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

extension OppiError {
  /// The person has left the menu, which needs no words.
  fileprivate static var left: OppiError { OppiError(.interrupted, "nothing was chosen") }
}
