// SPDX-License-Identifier: MIT

package import CommandTable
package import OppiModel
package import OppiWire

/// What `oppi __complete` completes from the records of this machine.
package enum CompletionKind: String, Sendable {
  case server
  case workspace
  case model
  case session
  /// Dialogs of extensions and agents.
  case question
  /// Requests that `approve` can decide.
  case approval
  /// Any pending request.
  case request
  case outbox
  case shortcut
  case schedule
  case example
  /// A file of the example that is named before it.
  case exampleFile = "example-file"
  /// A value of the setting that is named before it.
  case value
  /// A topic or a command.
  case topic
}

extension Completion {
  package static func names(of kind: CompletionKind) -> Completion { .dynamic(kind.rawValue) }
}

/// Options and arguments that several commands have.
extension Argument {
  package static func workspace<Storage: ArgumentStorage>(
    _ field: @autoclosure @escaping Field<Options, Storage>,
    _ help: String
  ) -> Self {
    let words = Completion.names(of: .workspace)
    return .option(
      "workspace",
      short: "w",
      placeholder: "WORKSPACE",
      completion: words,
      field(),
      help
    )
  }

  package static func model(_ field: @autoclosure @escaping Field<Options, String?>) -> Self {
    .option(
      "model",
      short: "m",
      placeholder: "MODEL",
      completion: .names(of: .model),
      field(),
      "Use this model"
    )
  }

  package static func thinking(_ field: @autoclosure @escaping Field<Options, ThinkingLevel?>)
    -> Self
  {
    .option("thinking", short: "t", field(), "Set the thinking level")
  }

  package static func session(
    _ field: @autoclosure @escaping Field<Options, SessionName?>,
    _ help: String
  ) -> Self {
    .option("session", short: "s", completion: .names(of: .session), field(), help)
  }

  package static func anySession(_ field: @autoclosure @escaping Field<Options, SessionName?>)
    -> Self
  {
    let help = "A session id, the start of an id, or last"
    return .positional("session", completion: .names(of: .session), field(), help)
  }

  package static func promptFile(_ field: @autoclosure @escaping Field<Options, String?>) -> Self {
    .option(
      "file",
      short: "F",
      placeholder: "FILE",
      completion: .file,
      field(),
      "Read the prompt from FILE, or from standard input for -"
    )
  }

  package static func onAsk(_ field: @autoclosure @escaping Field<Options, OnAsk?>) -> Self {
    .option("on-ask", placeholder: "WHAT", field(), "What --wait does when the agent waits for you")
  }

  package static func onLimit(_ field: @autoclosure @escaping Field<Options, OnLimit>) -> Self {
    .option(
      "on-limit",
      placeholder: "WHAT",
      field(),
      "What --wait does at a usage limit"
    )
  }

  package static func maxCost(_ field: @autoclosure @escaping Field<Options, Dollars?>) -> Self {
    .option("max-cost", field(), "With --wait: stop a turn that costs more")
  }

  package static func schema(_ field: @autoclosure @escaping Field<Options, String?>) -> Self {
    .option(
      "schema",
      placeholder: "FILE",
      completion: .file,
      field(),
      "With --wait: require JSON that matches this schema"
    )
  }

  package static func verify(_ field: @autoclosure @escaping Field<Options, String?>) -> Self {
    .option(
      "verify",
      placeholder: "COMMAND",
      field(),
      "With --wait: require that this command succeeds"
    )
  }

  package static func verifyRetries(_ field: @autoclosure @escaping Field<Options, RetryCount?>)
    -> Self
  {
    .option("verify-retries", field(), "Send the output of a failed --verify N times")
  }

  package static func then(_ field: @autoclosure @escaping Field<Options, ShortcutName?>) -> Self {
    .option("then", field(), "With --wait: run this shortcut after a successful turn")
  }
}
