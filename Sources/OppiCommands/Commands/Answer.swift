// SPDX-License-Identifier: MIT

import CommandTable
import OppiIntents
import OppiModel
import OppiRendering

/// `oppi answer`: answers an agent's question.
enum Answer {
  struct Options: Sendable, Equatable {
    var question: String?
    var isYes = false
    var isNo = false
    var isCancelled = false
    var values: [String] = []
  }

  static let command: Command = Command(
    "answer",
    "Answer an agent's question",
    discussion: """
      SESSION is a session with a pending question, as listed by 'oppi sessions --state \
      waiting'. Without VALUE the question and its choices are shown, and nothing is sent.

      A question may have several parts. Each VALUE answers one part, in order: the number of a \
      choice, its text, or your own text if that is allowed. If a part allows several choices, \
      separate them by commas. An empty VALUE skips its part; so do missing values at the end. A \
      yes-or-no question takes yes or no. The command succeeds only after the server accepts the \
      answer. If the question is no longer pending, the status is 5. No agent is started.

      The dialogs of extensions, and all questions of servers older than March 2026, are shown \
      only to clients connected at that moment. Answer them by id, which 'oppi follow --json' \
      prints: --question ID with a single VALUE, --yes or --no.
      """,
    examples: [
      CommandExample("oppi answer CdJR04ap", "Show the question"),
      CommandExample("oppi answer CdJR04ap 2 'Lint, Docs'", "Answer both parts of the question"),
      CommandExample("oppi answer CdJR04ap --cancel", "Cancel the question"),
    ],
    exitStatuses: [0, 5, 64, 65, 66, 69, 75, 76, 77, 78],
    members: shape.rows,
    group: Group.watching,
    positional: RequiredPositional<SessionName>(
      "session",
      completion: .dynamic("question"),
      "The session with the question"
    ),
    options: Options(),
    arguments: [
      .option("question", placeholder: "ID", \.question, "Answer the question with this id"),
      .flag("yes", \.isYes, "With --question: answer yes"),
      .flag("no", \.isNo, "With --question: answer no"),
      .flag("cancel", \.isCancelled, "Cancel the question without an answer"),
      .positional("value", \.values, "The answers"),
    ],
    validate: validate,
    run: run
  )

  private static let validate: @Sendable (Options) throws(UsageError) -> Void = {
    (options) throws(UsageError) in
    let ways = [options.isYes, options.isNo, options.isCancelled, !options.values.isEmpty]
    guard ways.count(where: \.self) <= 1 else {
      throw UsageError(.contradiction("give only one of VALUE, --yes, --no and --cancel"))
    }
    guard options.question != nil || !(options.isYes || options.isNo) else {
      throw UsageError(.custom("--yes and --no require --question"))
    }
    if let id = options.question, !WireID.isValid(id) {
      throw UsageError(.custom("--question expects an id"))
    }
  }

  static func run(
    _ name: SessionName,
    _ options: Options,
    in context: Context
  ) async throws -> Report {
    let session = try await context.session(named: name)
    let api = try await context.connections.client(for: session.server)
      .limited(to: context.options.timeout)
    var seen: UserQuestion?
    let outcome = try await AnswerQuestion(session, api: api)
      .answer(questionID: options.question) { question in
        seen = question
        return try options.answer(to: question)
      }
    guard outcome != .tooLate else {
      throw OppiError.noPendingQuestion(options.question, in: session)
    }
    let state = outcome == .seen ? "waiting" : options.isCancelled ? "cancelled" : "answered"
    let width = context.console.policy.form == .eyes ? context.console.policy.width : Int.max
    let lines = outcome == .seen ? seen.map { ChatQuestion.lines(ofAll: $0, width: width) } : nil
    let words = options.isCancelled ? "question cancelled" : "answer sent"
    let described = (session: session, question: seen, id: options.question, state: state)
    return Report(
      shape.document(of: described),
      lines.map(Report.Text.lines) ?? .nothing,
      status: outcome == .seen ? nil : StyledText("\(words); \(session.id) resumed"),
      notes: outcome == .seen ? [.hint("answer with: oppi answer -- \(session.id) VALUE…")] : []
    )
  }

  private typealias Described = (
    session: ServerSession, question: UserQuestion?, id: String?, state: String
  )

  private static let shape: JSONShape<Described> = [
    .member("state", "answered or cancelled if the server accepted it; waiting without VALUE") {
      .string($0.state)
    },
    .member("sessionId", "The session") { .string($0.session.id) },
    .member("questionId", "The question's id") {
      ($0.id ?? $0.question?.id).map(JSONValue.string)
    },
    .member("question", "The question as sent by the server, if available") {
      $0.question?.body
    },
  ]
}

extension Answer.Options {
  /// The given answer; `nil` to only show the question.
  fileprivate func answer(to question: UserQuestion?) throws(OppiError) -> QuestionAnswer? {
    if isCancelled { return .cancelled }
    if isYes || isNo { return .confirmed(isYes) }
    guard let question else {
      guard values.count <= 1 else {
        throw .severalAnswersToUnseen
      }
      return values.first.map(QuestionAnswer.value)
    }
    return values.isEmpty ? nil : try ChatQuestion.answer(to: question, by: values)
  }
}

extension ChatQuestion {
  /// The answers to the parts of a question, in order.
  ///
  /// - Throws: `badInput` if a part does not accept its value, or there are too many values.
  fileprivate static func answer(
    to question: UserQuestion,
    by values: [String]
  ) throws(OppiError) -> QuestionAnswer {
    var answered: [String: String] = [:]
    var skipped: Set<String> = []
    for value in values {
      guard let part = ChatQuestion(question, answered: answered) else {
        throw .tooManyAnswers
      }
      if value.isEmpty, let id = part.partID {
        answered[id] = ""
        skipped.insert(id)
        continue
      }
      guard let answer = part.answer(forText: value) else {
        throw .invalidAnswer(value, to: part)
      }
      guard let id = part.partID, case .value(let text) = answer else {
        guard values.count == 1 else {
          throw .severalAnswers
        }
        return answer
      }
      answered[id] = text
    }
    return .answers(answered.filter { !skipped.contains($0.key) })
  }

  fileprivate static func lines(ofAll question: UserQuestion, width: Int) -> [StyledText] {
    var answered: [String: String] = [:]
    var lines: [StyledText] = []
    while let part = ChatQuestion(question, answered: answered) {
      lines += part.lines(width: width)
      guard let id = part.partID else { break }
      answered[id] = ""
    }
    return lines
  }
}
