// SPDX-License-Identifier: MIT

import OppiModel

/// The user's marks on requests, until all of them are sent together.
///
/// A mark belongs to the request as it was shown. It is dropped as soon as the request changes or is
/// no longer pending.
struct BatchMarks: Sendable, Equatable {
  struct Mark: Sendable, Equatable {
    let reply: RequestReply
    let request: ListedRequest

    /// The mark in one word.
    var word: String {
      switch reply {
      case _ where reply.isRefusal: "deny"
      case .decision, .answer(.confirmed): "allow"
      case .answer: "answer"
      }
    }

    /// The chosen option, which the word does not tell.
    var choice: String? {
      guard case .answer(.value(let value)) = reply else { return nil }
      return value.safeLine(limit: 40)
    }
  }

  private var marks: [ListedRequest.ID: Mark] = [:]
  /// The requests whose last mark was dropped.
  private(set) var dropped: Set<ListedRequest.ID> = []

  var isEmpty: Bool { marks.isEmpty }

  subscript(id: ListedRequest.ID) -> Mark? { marks[id] }

  /// Marks one request with a reply that the user confirmed with the whole request in view, or with
  /// a denial.
  ///
  /// Returns false for a reply that cannot be marked: an approval of more than this call, or a reply
  /// that the request does not accept.
  mutating func mark(_ request: ListedRequest, _ reply: RequestReply) -> Bool {
    switch reply {
    case .decision(.allowForSession), .decision(.allowEverywhere): return false
    case .decision(.allow), .decision(.deny), .answer: break
    }
    guard (try? request.request.accepting(reply)) != nil else { return false }
    marks[request.id] = Mark(reply: reply, request: request)
    dropped.remove(request.id)
    return true
  }

  mutating func unmark(_ id: ListedRequest.ID) {
    marks[id] = nil
    dropped.remove(id)
  }

  /// Drops the marks of requests that changed or are no longer pending, and returns them, the most
  /// urgent first.
  mutating func drop(after board: ConsoleBoard, at now: Timestamp) -> [Mark] {
    let lost = marks.values.filter { !board.isPending(asShown: $0.request, at: now) }
    for mark in lost {
      marks[mark.request.id] = nil
      dropped.insert(mark.request.id)
    }
    return lost.sorted { $0.request.approval < $1.request.approval }
  }

  /// The marks in the order in which they are sent: the most urgent first.
  var all: [Mark] { marks.values.sorted { $0.request.approval < $1.request.approval } }

  /// The numbers of requests with each mark, and of the other pending requests.
  func counts(in model: ConsoleModel) -> String {
    func count(_ word: String) -> Int { marks.values.count { $0.word == word } }
    let answers = count("answer")
    let left = model.board.openRequests(at: model.now).count { marks[$0] == nil }
    return "allow \(count("allow")), deny \(count("deny"))"
      + (answers > 0 ? ", answer \(answers)" : "") + ", leave \(left)"
  }
}
