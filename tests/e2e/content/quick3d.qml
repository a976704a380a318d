// One picture of Qt Quick over Qt Quick 3D, which needs GL ES 3.0: physically based materials, shadows of two lights,
// ambient occlusion, instances. Nothing moves; with the word "end" the third frame is the last.
import QtQuick
import QtQuick.Window
import QtQuick3D

Window {
    property bool ends: Qt.application.arguments.includes("end")
    property int frames: 0

    visible: true
    width: 1280
    height: 720
    color: "#203040"
    onFrameSwapped: {
        if (++frames == 3 && ends)
            Qt.quit();
        else
            update();
    }

    View3D {
        anchors.fill: parent
        environment: SceneEnvironment {
            backgroundMode: SceneEnvironment.Color
            clearColor: "#203040"
            antialiasingMode: SceneEnvironment.NoAA
            aoStrength: 60
            aoDistance: 40
        }
        PerspectiveCamera {
            position: Qt.vector3d(0, 120, 520)
            eulerRotation.x: -12
        }
        DirectionalLight {
            eulerRotation: Qt.vector3d(-35, -40, 0)
            brightness: 0.8
            castsShadow: true
            shadowMapQuality: Light.ShadowMapQualityHigh
        }
        SpotLight {
            position: Qt.vector3d(200, 300, 200)
            eulerRotation: Qt.vector3d(-50, 40, 0)
            color: "#ffe0a0"
            brightness: 20
        }
        Model {
            source: "#Sphere"
            position: Qt.vector3d(-150, 40, 0)
            scale: Qt.vector3d(1.6, 1.6, 1.6)
            materials: PrincipledMaterial { baseColor: "#d05030"; roughness: 0.3; metalness: 0.4 }
        }
        Model {
            source: "#Cube"
            position: Qt.vector3d(160, 30, 0)
            eulerRotation: Qt.vector3d(30, 40, 10)
            materials: PrincipledMaterial { baseColor: "#40a060"; roughness: 0.7 }
        }
        Model {
            source: "#Cone"
            instancing: InstanceList {
                instances: [
                    InstanceListEntry { position: Qt.vector3d(-60, -50, 120); scale: Qt.vector3d(0.3, 0.6, 0.3); color: "#8080ff" },
                    InstanceListEntry { position: Qt.vector3d(0, -50, 120); scale: Qt.vector3d(0.3, 0.9, 0.3); color: "#ff80ff" },
                    InstanceListEntry { position: Qt.vector3d(60, -50, 120); scale: Qt.vector3d(0.3, 0.6, 0.3); color: "#80ffff" }
                ]
            }
            materials: PrincipledMaterial { roughness: 0.5 }
        }
        Model {
            source: "#Rectangle"
            position: Qt.vector3d(0, -50, 0)
            eulerRotation.x: -90
            scale: Qt.vector3d(9, 6, 1)
            materials: PrincipledMaterial { baseColor: "#c0c0c0" }
        }
    }
    Rectangle {
        x: 40
        y: 40
        width: 240
        height: 120
        radius: 24
        opacity: 0.8
        rotation: -8
        border { width: 4; color: "#ffffff" }
        gradient: Gradient {
            GradientStop { position: 0; color: "#e0a030" }
            GradientStop { position: 1; color: "#3060c0" }
        }
    }
}
