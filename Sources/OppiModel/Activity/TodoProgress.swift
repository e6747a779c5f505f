// SPDX-License-Identifier: MIT

/// The progress of an agent's to-do list.
package struct TodoProgress: Sendable, Equatable {
  package var completed: Int
  package var total: Int
  /// The item in progress, or the next one.
  package var current: String?

  package init(completed: Int, total: Int, current: String? = nil) {
    self.completed = completed
    self.total = total
    self.current = current
  }

  /// Reads the list from a call's details or arguments; `nil` if there is none.
  ///
  /// Tools differ: an item has `content`, `text` or `title`, and `status` or `done`.
  package init?(_ call: ToolCallActivity) {
    guard let items = call.details["todos"].array ?? call.arguments["todos"].array else {
      return nil
    }
    let open = items.filter { !Self.isDone($0) }
    completed = items.count - open.count
    total = items.count
    let current = open.first { $0["status"] == "in_progress" } ?? open.first
    self.current = current.flatMap { item in
      ["content", "text", "title"].lazy.compactMap { item[$0].text(.sentence) }.first
    }
  }

  /// From 0 to 100; `nil` if the list is empty.
  package var percentage: Int? {
    guard total > 0 else { return nil }
    return Int(100 * Double(min(max(completed, 0), total)) / Double(total))
  }

  private static func isDone(_ item: JSONValue) -> Bool {
    item["done"] == true || item["completed"] == true || item["status"] == "completed"
      || item["status"] == "done" || item["status"] == "cancelled"
  }
}
