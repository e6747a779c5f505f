// SPDX-License-Identifier: MIT

import CommandTable
import FakeServer
import OppiTerminal
import Simulation
import Testing

@testable import Oppi
@testable import OppiClient
@testable import OppiTestSupport

/// The settings of this machine in the console, and the line in which one is changed.
@Suite struct ConsoleSettingTests {
  private static func item(_ key: ConfigKey, _ value: String?) -> SettingsItem {
    let choices = key.valueType.choices
    return SettingsItem(ShownSetting(key: key, value: value, path: "/c.json"), choices: choices)
  }

  private static func desk(
    _ items: SettingsItem...,
    columns: Int = 100,
    isReadOnly: Bool = false
  ) -> ConsoleDesk {
    var desk = ConsoleDesk(columns: columns, isReadOnly: isReadOnly)
    desk.press("7")
    _ = desk.update(.news(.settings([])))
    _ = desk.update(.news(.own(ConfigNews(items: items))))
    return desk
  }

  @Test(
    "a setting has its name and its value or its default, at any width; the detail names the file",
    arguments: [40, 80, 160]
  )
  func list(columns: Int) {
    var desk = Self.desk(
      Self.item(.thinking, "high"),
      Self.item(.onAsk, nil),
      Self.item(.model, nil),
      columns: columns
    )
    let rows = desk.lines.map { String($0.prefix(60)) }
    #expect(rows.contains { $0.hasPrefix("▸ thinking  high") }, "\(rows)")
    #expect(rows.contains { $0.contains("on-ask    wait (default)") }, "\(rows)")
    #expect(rows.contains { $0.contains("model     not set") }, "\(rows)")
    desk.press(.right)
    #expect(desk.shows("set in /c.json"), "\(desk.lines)")
    #expect(desk.shows("The thinking level of new sessions"))
  }

  @Test("Enter or e opens a line with the present value; the change is asked before it is saved")
  func changes() {
    for key in [Key.enter, "e"] {
      var desk = Self.desk(Self.item(.thinking, "high"))
      desk.press(key)
      #expect(desk.cursorLine.contains("value › high"), "\(desk.lines)")
      #expect(desk.press(.control("u"), "l").isEmpty)
      #expect(desk.shows("Tab  low"), "\(desk.lines)")
      #expect(desk.press(.tab, .enter).isEmpty)
      #expect(desk.shows("Set thinking to 'low'?") && desk.shows("now: high"), "\(desk.lines)")
      #expect(desk.press(.enter).isEmpty, "typed ahead")
      desk.press("y", after: .seconds(2))
      let effects = desk.press(.enter, after: .seconds(2))
      #expect(effects == [.settings(.set(.thinking, to: "low"))])
    }
  }

  @Test("an empty value removes the setting, and an unchanged one changes nothing")
  func removes() {
    var desk = Self.desk(Self.item(.onAsk, "cancel"))
    desk.press("e", .enter)
    #expect(desk.shows("the setting was not changed") && !desk.shows("value ›"), "\(desk.lines)")
    desk.press("e", .control("u"), .enter)
    #expect(desk.shows("Remove the setting on-ask?"), "\(desk.lines)")
    #expect(desk.shows("The default applies then: wait."), "\(desk.lines)")
    desk.press("y", after: .seconds(2))
    #expect(desk.press(.enter, after: .seconds(2)) == [.settings(.set(.onAsk, to: ""))])
  }

  @Test(
    "a wrong value has the message of 'oppi config set', and stays in the line",
    arguments: [
      (ConfigKey.thinking, "huge", "'thinking' expects"),
      (.dayBudget, "-1", "'budget.day' expects"),
      (.notifyAgain, "1s", "'notify.again' expects 1m or more"),
      (.model, String(repeating: "a", count: 401), "expects one line"),
    ]
  )
  func wrong(key: ConfigKey, value: String, words: String) {
    var desk = Self.desk(Self.item(key, nil))
    desk.press("e", .paste(value), .enter)
    #expect(desk.shows(words), "\(desk.lines)")
    #expect(desk.footer.contains("Enter next"), "\(desk.lines)")
    #expect(!desk.shows("Set \(key.name)"), "\(desk.lines)")
    desk.press("x")
    #expect(!desk.shows(words), "the message is about what was typed before")
  }

  @Test("after a stop of the program, the question about a setting is new")
  func continued() {
    var desk = Self.desk(Self.item(.thinking, "high"))
    desk.press("e", .control("u"), .text("low"), .enter)
    desk.press("y", after: .seconds(2))
    desk.wait(.seconds(2))
    _ = desk.update(.continued)
    #expect(desk.press(.enter, after: .seconds(2)).isEmpty && desk.shows("was not changed"))
  }

  @Test("the workspace of a folder and, with --read-only, every setting has a detail and no line")
  func fixed() {
    var folder = Self.desk(Self.item(.directory("~/src"), "studio/api"))
    folder.press("e", .enter)
    #expect(!folder.shows("value ›") && folder.shows("studio/api"), "\(folder.lines)")
    var readOnly = Self.desk(Self.item(.thinking, "high"), isReadOnly: true)
    readOnly.press("e", .enter)
    #expect(!readOnly.shows("value ›") && readOnly.shows("set in /c.json"), "\(readOnly.lines)")
  }

  @Test("the servers, which answer later, stand above the settings")
  func order() {
    var desk = ConsoleDesk(columns: 100)
    desk.press("7")
    _ = desk.update(.news(.own(ConfigNews(items: [Self.item(.thinking, "high")]))))
    desk.wait(.seconds(2))
    _ = desk.update(.news(.settings([ConsoleDesk.item(.server(ConsoleDesk.studio), "studio")])))
    let headings = desk.lines.filter { $0.hasPrefix("── ") }.map { $0.dropFirst(3).prefix(8) }
    #expect(headings == ["Servers ", "Settings"], "\(desk.lines)")
    #expect(desk.cursorLine.contains("studio"), "\(desk.lines)")
  }

  @Test("a change is written to the settings file, which keeps its comments")
  func writes() {
    inWorld { world, server in
      let path = "\(World.home)/.config/oppi/config.json"
      world.disk.put(Array("{// mine\n\"thinking\": \"high\"}".utf8), at: path)
      let terminal = world.start(["console"], columns: 120, rows: 40)
      try await terminal.see("[1 Now")
      try await terminal.type("2", see: "No pending approvals.")
      try await terminal.type("7", see: "this machine")
      terminal.type("/thinking\r")
      try await terminal.see("▸ thinking")
      try await terminal.type("e", see: "value › high")
      try await terminal.type("\u{15}low\r", see: "Set thinking to 'low'?")
      try await terminal.confirm("set", in: world)
      try await terminal.see("set thinking in")
      terminal.type("q")
      try await terminal.end(exits: 0)
      let text = world.disk.contents(of: path).map { String(decoding: $0, as: UTF8.self) }
      #expect(text == "{// mine\n\"thinking\": \"low\"}")
    }
  }
}
