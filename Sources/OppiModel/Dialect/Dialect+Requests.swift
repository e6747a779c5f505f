// SPDX-License-Identifier: MIT

extension Dialect.Requests {
  /// Whether the server itself holds tool calls until they are approved.
  ///
  /// Without a gate, tools run without approval unless an extension asks.
  package var hasGate: Bool { self == .permissions }

  /// Whether the server reports that a dialog is no longer pending.
  ///
  /// Otherwise a question is over when the agent continues.
  package var reportsSettledQuestions: Bool { self == .dialogs }

  /// Whether the answers to an `ask` are the values of options, and lists where several are allowed.
  ///
  /// Otherwise they are texts that the server looks up among the labels.
  package var takesOptionValues: Bool { self == .dialogs }

  /// Whether dialogs are listed and answered over REST.
  package var listsDialogs: Bool { self == .dialogs }
}
