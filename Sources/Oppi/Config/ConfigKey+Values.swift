// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiSystem

/// The values of settings on the command line.
extension ConfigKey {
  /// The type that parses the setting's values.
  var valueType: any ArgumentValue.Type {
    switch general {
    case .thinking: ThinkingLevel.self
    case .timeout: TimeLimit.self
    case .onAsk: OnAsk.self
    case .dayBudget, .monthBudget: Dollars.self
    case .history, .accessible: Truth.self
    case .appCommand, .notifyCommand, .notifyEscalate, .picker: ProgramLine.self
    case .notifyAgain, .notifyDenyAfter: PendingTime.self
    case .notifyQuiet: QuietHours.self
    case .notifyPrivate: Truth.self
    default: String.self
    }
  }

  /// Returns the setting with the name that a user gave.
  static func named(_ name: String) throws(OppiError) -> ConfigKey {
    if let key = all.first(where: { $0.name == name }) { return key }
    let names = all.map(\.name)
    let close = Suggestions.closest(to: name, among: names).first
    throw .noSuchSetting(name, closest: close, known: names)
  }
}

extension ConfigFile.Settings {
  /// Returns the value of a setting; `nil` if it is not set.
  ///
  /// - Throws: `OppiError` if the file has an invalid value.
  func value<Value: ArgumentValue>(
    of key: ConfigKey,
    as type: Value.Type = Value.self
  ) throws(OppiError) -> Value? {
    do {
      return try text(of: key).map { text throws(ArgumentValueError) in try Value(argument: text) }
    } catch let error as ArgumentValueError {
      let text = (try? text(of: key)) ?? ""
      throw .invalidSetting(key, text: text, path: path, because: error.message)
    } catch {
      throw OppiError(error)
    }
  }
}

/// A program with its arguments, quoted as for a shell, but run without one.
struct ProgramLine: ArgumentValue, Equatable {
  static let placeholder = "PROGRAM"
  static let expectation = "expects a program and its arguments, quoted as in a shell"

  /// Never empty.
  let words: [String]

  init(argument: String) throws(ArgumentValueError) {
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
struct PendingTime: ArgumentValue, Equatable {
  static let placeholder = Duration.placeholder
  /// Less would leave no time to answer.
  private static let least = Duration.seconds(60)

  let duration: Duration

  init(argument: String) throws(ArgumentValueError) {
    duration = try Duration(argument: argument)
    guard duration >= Self.least else { throw ArgumentValueError("expects 1m or more") }
  }

  var argumentText: String? { duration.argumentText }
}

enum Truth: String, ArgumentValue, CaseIterable {
  case `true`
  case `false`
}
