// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

/// What a command line answers to which question.
struct AnswerOrder {
  let options: Answer.Options
  let target: QuestionResolver.Target

  /// Throws for an answer that needs the id of a question, without one.
  init(_ options: Answer.Options, to target: QuestionResolver.Target) throws(OppiError) {
    (self.options, self.target) = (options, target)
    guard target.way.listsDialogs || options.question != nil || !options.isYesOrNo else {
      throw OppiError(.usage, "--yes and --no require --question")
    }
    if target.request == nil, let id = options.question, !WireID.isValid(id) {
      throw OppiError(.usage, "--question expects an id")
    }
  }

  /// The question's id if it was named.
  var questionID: String? { target.request?.id ?? options.question }

  /// The name that selects the same question again.
  var name: String { target.request?.id ?? target.session.id }

  /// The given answer; `nil` to only show the question.
  func answer(to question: UserQuestion?) throws(OppiError) -> QuestionAnswer? {
    if options.isCancelled { return .cancelled }
    guard let question else {
      if options.isYesOrNo { return .confirmed(options.isYes) }
      guard options.values.count <= 1 else { throw .severalAnswersToUnseen }
      return options.values.first.map(QuestionAnswer.value)
    }
    guard target.way.takesOptionValues else {
      if options.isYesOrNo { return .confirmed(options.isYes) }
      return options.values.isEmpty
        ? nil : try ChatQuestion.answer(to: question, by: options.values)
    }
    let words = options.isYesOrNo ? [options.isYes ? "yes" : "no"] : options.values
    guard !options.isYesOrNo || question.kind == .confirm else { throw .notYesOrNo(question) }
    let answer: QuestionAnswer?
    do {
      let part = target.request == nil ? nil : options.question
      answer = try question.answer(by: words, toPart: part)
    } catch {
      throw OppiError(error, id: question.id)
    }
    if let answer, ApprovalPolicy.obstacle(to: answer, question) != nil {
      throw OppiError(IntentError.requestNotWhole(id: question.id))
    }
    return answer
  }

  /// The question with its choices.
  func lines(of question: UserQuestion, width: Int) -> [StyledText] {
    target.way.takesOptionValues
      ? RequestText.rows(of: question, width: width)
      : ChatQuestion.lines(ofAll: question, width: width)
  }
}

extension Answer.Options {
  fileprivate var isYesOrNo: Bool { isYes || isNo }
}

extension ChatQuestion {
  /// The answers to the parts of a question, in order.
  ///
  /// - Throws: `badInput` if a part does not accept its value, or there are too many values.
  fileprivate static func answer(
    to question: UserQuestion,
    by values: [String]
  ) throws(OppiError) -> QuestionAnswer {
    var answered: [String: PartAnswer] = [:]
    var skipped: Set<String> = []
    for value in values {
      guard let part = ChatQuestion(question, answered: answered) else {
        throw .tooManyAnswers
      }
      if value.isEmpty, let id = part.partID {
        answered[id] = .text("")
        skipped.insert(id)
        continue
      }
      guard let answer = part.answer(forText: value) else {
        throw .invalidAnswer(value, to: part)
      }
      guard let id = part.partID, let text = part.partAnswer(in: answer) else {
        guard values.count == 1 else {
          throw .severalAnswers
        }
        return answer
      }
      answered[id] = text
    }
    return combined(answered.filter { !skipped.contains($0.key) }, for: .permissions)
  }

  fileprivate static func lines(ofAll question: UserQuestion, width: Int) -> [StyledText] {
    var answered: [String: PartAnswer] = [:]
    var lines: [StyledText] = []
    while let part = ChatQuestion(question, answered: answered) {
      lines += part.lines(width: width)
      guard let id = part.partID else { break }
      answered[id] = .text("")
    }
    return lines
  }
}
