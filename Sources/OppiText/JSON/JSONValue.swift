// SPDX-License-Identifier: MIT

/// Any JSON value.
///
/// The protocol is parsed with this type instead of `Codable`, because the server cuts text at
/// UTF-16 units and so sends lone surrogates, which Foundation's decoders reject entirely, and
/// because an unknown field, type or enum value must never invalidate a message.
package enum JSONValue: Sendable, Hashable {
  case null
  case bool(Bool)
  /// A number without fraction or exponent that fits 64 bits.
  case integer(Int64)
  case double(Double)
  case string(String)
  case array([JSONValue])
  case object(JSONObject)

  /// Returns a member of an object; `.null` if it is missing or for any other kind of value.
  package subscript(_ key: String) -> JSONValue {
    guard case .object(let members) = self else { return .null }
    return members[key] ?? .null
  }

  package var string: String? {
    guard case .string(let text) = self else { return nil }
    return text
  }

  package var bool: Bool? {
    guard case .bool(let flag) = self else { return nil }
    return flag
  }

  /// The interoperable integers (RFC 8259, section 6).
  ///
  /// External numbers are counted, subtracted and converted to milliseconds: within this range,
  /// none of that overflows.
  private static let integers = -(1 << 53) + 1...(1 << 53) - 1

  /// The number if it is an interoperable integer, `nil` otherwise.
  package var int: Int? {
    let number: Int? =
      switch self {
      case .integer(let number): Int(exactly: number)
      case .double(let number): Int(exactly: number)
      default: nil
      }
    return number.flatMap { Self.integers.contains($0) ? $0 : nil }
  }

  /// The number as floating point, `nil` for any other kind of value.
  package var double: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .double(let number): number
    default: nil
    }
  }

  package var array: [JSONValue]? {
    guard case .array(let elements) = self else { return nil }
    return elements
  }

  package var object: JSONObject? {
    guard case .object(let members) = self else { return nil }
    return members
  }

  /// The same value with the members of each object sorted by name.
  package var sorted: JSONValue {
    switch self {
    case .array(let elements): .array(elements.map(\.sorted))
    case .object(let members):
      .object(
        JSONObject(
          members.map { (key: $0.key, value: $0.value.sorted) }.sorted { $0.key < $1.key }
        )
      )
    default: self
    }
  }
}

// MARK: - Literals

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  package init(stringLiteral value: String) { self = .string(value) }
  package init(integerLiteral value: Int64) { self = .integer(value) }
  package init(booleanLiteral value: Bool) { self = .bool(value) }
  package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

  package init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(JSONObject(elements.map { ($0, $1) }))
  }
}

/// The members of a JSON object in their original order, with unique names.
///
/// Objects of the protocol have few members with short names, for which a linear search is faster
/// than hashing. Equality ignores the order of members (RFC 8259, section 4).
package struct JSONObject: Sendable {
  private var members: [Element] = []

  /// With more members, hashing is faster than a linear search.
  private static let fewMembers = 32

  package init() {}

  /// The last member counts if several have the same name.
  package init(_ members: some Sequence<Element>) {
    self.members = Array(members)
    if count > Self.fewMembers { keepLastOfMany() } else { keepLastOfFew() }
  }

  package subscript(name: String) -> JSONValue? {
    get { index(of: name).map { members[$0].value } }
    set {
      switch (index(of: name), newValue) {
      case (let index?, let value?): members[index].value = value
      case (let index?, nil): members.remove(at: index)
      case (nil, let value?): members.append((name, value))
      case (nil, nil): break
      }
    }
  }

  /// Returns a member with an ASCII name that is expected at a place, and then expects the next one.
  ///
  /// In the order in which they were written, members are found without a search.
  func value(ofASCII name: String, at place: inout Int) -> JSONValue? {
    if place >= members.count || members[place].key != name {
      let length = name.utf8.count
      // Comparing lengths is faster than comparing texts.
      let index = members.firstIndex { $0.key.utf8.count == length && $0.key == name }
      guard let index else { return nil }
      place = index
    }
    defer { place += 1 }
    return members[place].value
  }

  /// Adds a member whose name the object does not have.
  mutating func append(_ name: String, _ value: JSONValue) { members.append((name, value)) }

  mutating func reserveCapacity(_ count: Int) { members.reserveCapacity(count) }

  /// Returns the object with the members of another, which replace those of the same name.
  package func adding(_ others: JSONObject) -> JSONObject {
    JSONObject(members + others.members)
  }

  private func index(of name: String) -> Int? { members.firstIndex { $0.key == name } }
}

// MARK: - Repeated names

extension JSONObject {
  private mutating func keepLastOfFew() {
    var index = members.count - 1
    while index > 0 {
      let name = members[index].key
      if let earlier = members[..<index].firstIndex(where: { $0.key == name }) {
        members.remove(at: earlier)
      }
      index -= 1
    }
  }

  private mutating func keepLastOfMany() {
    var last: [String: Int] = [:]
    for (index, member) in members.enumerated() { last[member.key] = index }
    guard last.count < members.count else { return }
    members = last.values.sorted().map { members[$0] }
  }
}

// MARK: - Collection

extension JSONObject: RandomAccessCollection {
  package typealias Element = (key: String, value: JSONValue)

  package var startIndex: Int { 0 }
  package var endIndex: Int { members.count }
  package subscript(position: Int) -> Element { members[position] }
}

extension JSONObject: Hashable {
  /// The order of the members does not matter.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(members.reduce(into: 0) { $0 ^= $1.key.hashValue })
  }

  package static func == (first: JSONObject, second: JSONObject) -> Bool {
    guard first.count == second.count else { return false }
    let pairs = zip(first.members, second.members)
    // Usually both have the same order.
    if pairs.allSatisfy({ $0.key == $1.key }) { return pairs.allSatisfy { $0.value == $1.value } }
    let values = Dictionary(uniqueKeysWithValues: second.members.map { ($0.key, $0.value) })
    return first.members.allSatisfy { values[$0.key] == $0.value }
  }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  /// Members without a value are left out, as in the protocol.
  package init(dictionaryLiteral elements: (String, JSONValue?)...) {
    self.init(elements.compactMap { name, value in value.map { (name, $0) } })
  }
}
