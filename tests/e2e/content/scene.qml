// Text, round corners, gradients, opacity and a rotation: what Qt Quick draws by programs of its own.
import QtQuick 2.15
import QtQuick.Window 2.15

Window {
    visible: true
    visibility: Window.FullScreen
    color: "#203040"

    Rectangle {
        x: 60; y: 60; width: 300; height: 180; radius: 24
        gradient: Gradient {
            GradientStop { position: 0; color: "#f0c040" }
            GradientStop { position: 1; color: "#c03020" }
        }
        Text { anchors.centerIn: parent; text: "vitrail"; color: "white"; font.pixelSize: 48 }
    }
    Rectangle {
        x: 420; y: 120; width: 160; height: 160; rotation: 30; opacity: 0.6; color: "#40c0f0"; antialiasing: true
        Rectangle { anchors.fill: parent; anchors.margins: 30; radius: 50; color: "#ffffff" }
    }
}
